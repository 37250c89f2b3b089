import { connectMock, type Mock } from "./mock.js";
import { inWorldOf, type InWorld } from "./shared.js";

let mock: Promise<Mock> | undefined;

/**
 * Makes a test of a body that has a world of its own: `test("…", inWorld(async (world) => { … }))`. If it fails,
 * the error tells what happened in the world.
 */
export const inWorld: InWorld = inWorldOf(() => {
  const url = process.env["TIDEOVER_URL"];
  if (!url) throw new Error('There is no mock: the configuration of Jest needs globalSetup: "tideover/jest/setup"');
  return (mock ??= connectMock(url));
});
