import { started } from "./jest-setup.js";

/** Stops the mock that the set-up started. */
export default async function teardown(): Promise<void> {
  if (!started.tideoverMock) return;
  await started.tideoverMock.stop();
  // Another run in this process, as of --watch, starts its own.
  delete started.tideoverMock;
  delete process.env["TIDEOVER_URL"];
}
