import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { findBinary } from "./binary.cjs";
import { call } from "./call.js";
import { asyncDispose } from "./dispose.js";
import type { WorldOptions } from "./types.js";
import { World } from "./world.js";

/** The options of `tideover serve`, which `tideover serve --help` explains: `maxWorlds: 5` is `--max-worlds 5`. */
export interface MockOptions {
  /** Stands at the start until a test moves it, unless given. */
  clock?: "still" | "running";
  /** When the clock starts: 2026-01-01T00:00:00Z unless given. */
  start?: string;
  speed?: number;
  /** Where webhooks may go: also to this machine, unless given. */
  webhooks?: "public" | "local" | "anywhere";
  /** A free one unless given. */
  port?: number;
  seed?: number;
  /** Of the world that exists from the start: `world()` takes its own. */
  scenario?: NonNullable<WorldOptions["scenario"]>;
  profile?: string;
  config?: string;
  grease?: boolean;
  defect?: string;
  apiKey?: string;
  address?: string;
  host?: string;
  cors?: string;
  webhookCa?: string;
  signWith?: "wall" | "virtual";
  state?: string;
  journal?: number;
  maxWorlds?: number;
  /** What the mock logs, on the standard error of this process: nothing unless given. */
  log?: "error" | "warn" | "info" | "debug" | "trace";
}

const DEFAULTS: MockOptions = { clock: "still", start: "2026-01-01T00:00:00Z", webhooks: "local", port: 0 };

/** A mock: one process, with as many worlds as tests need. */
export class Mock {
  readonly #child: ChildProcess | undefined;

  constructor(
    readonly url: string,
    /** The key of the world that exists from the start. */
    readonly key: string,
    child?: ChildProcess,
  ) {
    this.#child = child;
  }

  /** Makes a world: a service of its own, with its own key, clock, faults, journal and webhooks. */
  async world(options: WorldOptions = {}): Promise<World> {
    return new World(this.url, await call({ url: this.url, key: undefined }, "POST", "/_sim/worlds", options));
  }

  /** Ends the process, if this is who started it. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }

  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Starts a mock on a free port. It ends with `stop()`, and at the latest with this process. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const given = { log: "warn", ...DEFAULTS, ...options };
  const child = spawn(findBinary(), ["serve", "--json", ...Object.entries(given).flatMap(argument)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  const { baseUrl, apiKey } = await startup(child, options.log !== undefined);
  // A test that forgets to stop the mock does not hang.
  for (const part of [child, child.stdout, child.stderr]) (part as { unref?: () => void }).unref?.();
  return new Mock(baseUrl, apiKey, child);
}

/** The processes that end with this one. */
const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach((child) => child.kill()));

/** A mock that somebody else has started. */
export async function connectMock(url: string): Promise<Mock> {
  const base = addressOf(url);
  const { keys } = await call({ url: base, key: undefined }, "GET", "/_sim/worlds/default");
  return new Mock(base, keys[0].key);
}

/** An address as worlds have it: without its last slash. */
export function addressOf(url: string): string {
  return url.replace(/\/+$/, "");
}

function argument([name, value]: [string, unknown]): string[] {
  if (value === undefined) return [];
  return [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`];
}

/** The line that the mock prints when it is ready. */
function startup(child: ChildProcess, isLogged: boolean): Promise<{ baseUrl: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    const fail = (why: string) => reject(new Error(`the mock ${child.spawnfile} does not start: ${why}`));
    child.stderr!.on("data", (text) => {
      if (isLogged) process.stderr.write(text);
      complaint = (complaint + text).slice(-2000);
    });
    createInterface(child.stdout!).once("line", (line) => resolve(JSON.parse(line)));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code, signal) => fail(`it ended with ${code ?? signal}\n${complaint.trim()}`));
  });
}
