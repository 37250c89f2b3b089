import type { TestProject } from "vitest/node";

import type { MockOptions } from "./mock.js";
import { sharedMock } from "./shared.js";

declare module "vitest" {
  export interface ProvidedContext {
    tideoverUrl: string;
  }
}

/** The global set-up of vitest with a mock of these options. */
export function withMock(options?: MockOptions): (project: TestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const mock = await sharedMock(options);
    project.provide("tideoverUrl", mock.url);
    return () => mock.stop();
  };
}

/** Starts one mock for all workers. */
export default withMock();
