import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

import { startMock, type Mock } from "tideover";

/** The folder of the package. The tests run from `test/dist/test`. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A mock for the tests of a file. It ends with the process. */
export const mock: Mock = await startMock();

export const INVOICE = {
  payee: { externalId: "acme", legalName: "Acme Ltd" },
  payor: { externalId: "globex", legalName: "Globex Inc" },
  status: "ISSUED",
  faceValue: 1_000_000,
  issueDate: "2026-01-01T00:00:00Z",
  dueDate: "2026-03-02T00:00:00Z",
} as const;

/** Runs a program to its end; its exit code and all that it printed. */
export function run(
  file: string,
  parameters: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(file, parameters, { cwd: root, maxBuffer: 1e8, ...options }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
    });
  });
}
