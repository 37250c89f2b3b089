import { clearTimeout, setTimeout } from "./real.js";

/** How many milliseconds a wait lasts that nothing ends: less than the patience of the test runners. */
export const PATIENCE = 4000;

/**
 * The first value that `look` finds, looking now and after each change; undefined when the patience is over.
 * `watch` reports changes until its signal is aborted.
 */
export async function until<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  watch: (signal: AbortSignal) => AsyncIterable<unknown>,
  patience: number,
): Promise<Found | undefined> {
  const over = new AbortController();
  // Not `AbortSignal.timeout`: nothing else might keep the process alive until then.
  const timer = setTimeout(() => over.abort(), patience);
  try {
    // Watches before it looks: no change falls between the two.
    const changes = watch(over.signal);
    let found = await look();
    if (found !== undefined) return found;
    for await (const _ of changes) {
      found = await look();
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (!over.signal.aborted) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
