import { after } from "node:test";

import type { Mock, MockOptions } from "./mock.js";
import { inWorldOf, sharedMock, type InWorld } from "./shared.js";

/**
 * The same as {@link inWorld}, with a mock of these options. It starts with the first test that needs it, and is
 * stopped after the last one.
 */
export function withMock(options?: MockOptions): InWorld {
  let mock: Promise<Mock> | undefined;
  after(async () => (await mock)?.stop());
  return inWorldOf(() => (mock ??= sharedMock(options)));
}

/**
 * Makes a test of a body that has a world of its own: `test("…", inWorld(async (world) => { … }))`. If it fails,
 * the error tells what happened in the world.
 */
export const inWorld: InWorld = withMock();
