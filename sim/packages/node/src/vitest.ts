import { inject, test as base, type TestAPI } from "vitest";

import { connectMock, type Mock } from "./mock.js";
import { endFailed } from "./shared.js";
import type { WorldOptions } from "./types.js";
import type {} from "./vitest-setup.js";
import type { Webhooks } from "./webhooks.js";
import type { World } from "./world.js";

export interface Fixtures {
  /** A world of the test's own. If the test fails, the error tells what happened in it. */
  world: World;
  /** A receiver that is subscribed to all events of the world. */
  webhooks: Webhooks;
}

let mock: Promise<Mock> | undefined;

function connected(): Promise<Mock> {
  const url = inject("tideoverUrl");
  if (!url) throw new Error('There is no mock: the configuration of vitest needs globalSetup: "tideover/vitest/setup"');
  return (mock ??= connectMock(url));
}

/** A `test` whose worlds are made so: `withWorld({ scenario: "onboarded" })`. */
export function withWorld(options?: WorldOptions): TestAPI<Fixtures> {
  return base.extend<Fixtures>({
    world: async ({ task }, use) => {
      const world = await (await connected()).world(options);
      await use(world);
      // Not by catching an error: a test that is out of time throws none.
      if (task.result?.state === "fail") await endFailed(world, task.result.errors ?? []);
      else await world.delete();
    },
    webhooks: async ({ world }, use) => use(await world.webhooks()),
  });
}

/** The `test` of vitest with a world, and with a receiver for the tests that name it. */
export const test = withWorld();

/** The same under vitest's other name. */
export const it = test;
