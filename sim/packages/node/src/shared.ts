import { addressOf, connectMock, startMock, type Mock, type MockOptions } from "./mock.js";
import type { WorldOptions } from "./types.js";
import type { World } from "./world.js";

/** The mock that the tests of a run share: one of these options, or that of `TIDEOVER_URL`, or a new one. */
export async function sharedMock(options?: MockOptions): Promise<Mock> {
  const url = process.env["TIDEOVER_URL"];
  return url && !options ? connectMock(url) : startMock(options);
}

type Body<Rest extends unknown[]> = (world: World, ...rest: Rest) => unknown;

/** Makes a test of a body that has a world of its own. */
export interface InWorld {
  <Rest extends unknown[]>(body: Body<Rest>): (...rest: Rest) => Promise<void>;
  <Rest extends unknown[]>(options: WorldOptions, body: Body<Rest>): (...rest: Rest) => Promise<void>;
}

export function inWorldOf(mock: () => Promise<Mock>): InWorld {
  return <Rest extends unknown[]>(first: WorldOptions | Body<Rest>, second?: Body<Rest>) => {
    const [options, body] = typeof first === "function" ? [{}, first] : [first, second!];
    return async (...rest: Rest) => {
      const world = await (await mock()).world(options);
      try {
        await body(world, ...rest);
      } catch (error) {
        await endFailed(world, [error]);
        throw error;
      }
      await world.delete();
    };
  };
}

/** Ends the world of a test that failed, and adds what happened in it to the errors. */
export async function endFailed(world: World, errors: readonly unknown[]): Promise<void> {
  const isKept = stays(world);
  // The report must not hide the failure.
  const report = await world.report().then(
    (text) => (isKept ? `${text}\n\nThe world stays: ${world.url}/_sim/?world=${world.id}` : text),
    (error) => `Tideover does not say what happened: ${error}`,
  );
  explain(errors, report);
  await (isKept ? world.closeReceivers() : world.delete());
}

/** Whether the world outlives a test that fails: a variable asks for it, and the mock outlives the tests. */
function stays({ url }: World): boolean {
  const { TIDEOVER_KEEP_FAILED: isAsked, TIDEOVER_URL: named } = process.env;
  return Boolean(isAsked && named) && addressOf(named!) === url;
}

/** Adds to why a test failed: every reporter shows that. */
function explain(errors: readonly unknown[], report: string): void {
  for (const error of errors.slice(0, 1)) {
    // No `instanceof`: runners have errors of other realms, and copies of errors.
    if (typeof error !== "object" || error === null || !("message" in error)) continue;
    const { message, stack } = error as Error;
    const whole = `${message}\n\n${report}\n`;
    // A stack begins with the message of the time when the error was made.
    Object.assign(error, { message: whole }, stack && { stack: stack.replace(message, () => whole) });
    // Jest writes a message of its own in place of one that `assert` generated.
    if ("generatedMessage" in error) error.generatedMessage = false;
  }
}
