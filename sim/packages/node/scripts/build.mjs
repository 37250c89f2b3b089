// Compiles the package twice: as ES modules, and as CommonJS for Jest, which cannot `require` an ES module.

import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(`${root}/dist`, { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.cjs.json"]) {
  const { status } = spawnSync(process.execPath, [tsc, "-p", project], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
writeFileSync(`${root}/dist/cjs/package.json`, '{ "type": "commonjs" }\n');
