import type { Mock, MockOptions } from "./mock.js";
import { sharedMock } from "./shared.js";

/** Jest runs set-up and teardown in one process, and gives its environment to the workers. */
export const started = globalThis as { tideoverMock?: Mock };

/** The global set-up of Jest with a mock of these options. */
export function withMock(options?: MockOptions): () => Promise<void> {
  return async () => {
    if (process.env["TIDEOVER_URL"] && !options) return;
    const mock = await sharedMock(options);
    started.tideoverMock = mock;
    process.env["TIDEOVER_URL"] = mock.url;
    // The workers take the mock for somebody else's, but no world outlives it.
    delete process.env["TIDEOVER_KEEP_FAILED"];
  };
}

/** Starts one mock for all workers. */
export default withMock();
