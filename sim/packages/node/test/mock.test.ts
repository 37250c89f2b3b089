import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after } from "node:test";

import { connectMock, startMock } from "tideover";

import { root, run } from "./support.js";

const folder = mkdtempSync(join(tmpdir(), "tideover-"));
after(() => rmSync(folder, { recursive: true }));

const launcher = join(root, "bin/tideover.mjs");

test("a mock starts with options, and stops", async () => {
  const mock = await startMock({ apiKey: "my_sk_key", start: "2030-05-05T00:00:00Z", maxWorlds: 2 });
  assert.equal(mock.key, "my_sk_key");
  const world = await mock.world();
  assert.equal(await world.now(), "2030-05-05T00:00:00Z");
  await assert.rejects(mock.world(), { name: "Refused", status: 409, code: "action_refused" });
  await mock.stop();
  await assert.rejects(world.now(), /no answer from http/);
  await mock.stop();
});

test("a mock that cannot start says why", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  await assert.rejects(startMock({ port }), /does not start: it ended with 2\n.*in use/s);
  server.close();
});

test("a mock that somebody else started is reached by its address, and not stopped", async () => {
  const mock = await startMock({ apiKey: "another_sk_key" });
  const same = await connectMock(`${mock.url}/`);
  assert.deepEqual([same.url, same.key], [mock.url, "another_sk_key"]);
  await same.stop();
  await (await mock.world())[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
});

test("a process that forgets its mock ends, and its mock with it", { timeout: 30_000 }, async () => {
  const script = `import { startMock } from "tideover"; console.log((await startMock()).url);`;
  const { code, output } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  assert.equal(code, 0, output);
  const isGone = async () =>
    fetch(output.trim()).then(
      () => false,
      () => true,
    );
  // The signal is sent; the process takes a moment.
  while (!(await isGone()));
});

test("the launcher runs the program, and exits as it does", async () => {
  assert.match((await run(process.execPath, [launcher, "--version"])).output, /^tideover \d/);
  assert.equal((await run(process.execPath, [launcher, "verify", "--header", "t=1"])).code, 2);
});

test(
  "the program is that of the variable, then that on the PATH, but never the launcher itself",
  { skip: process.platform === "win32" },
  async () => {
    const { TIDEOVER, ...env } = process.env;
    const ask = (variables: NodeJS.ProcessEnv) =>
      run(process.execPath, [launcher, "--version"], { env: { ...env, ...variables } });
    const script = join(folder, "tideover");
    symlinkSync(launcher, script);
    const none = await ask({ PATH: folder });
    assert.equal(none.code, 2);
    assert.match(none.output, /no tideover for this platform: @tideover\/\S+ is not installed.*variable TIDEOVER/);
    rmSync(script);
    writeFileSync(script, "#!/bin/sh\necho found on the PATH\n");
    chmodSync(script, 0o755);
    const path = `${folder}${delimiter}${env["PATH"]}`;
    assert.equal((await ask({ PATH: path })).output, "found on the PATH\n");
    assert.match((await ask({ PATH: path, TIDEOVER })).output, /^tideover \d/);
    assert.equal((await ask({ PATH: path, TIDEOVER: "tideover" })).output, "found on the PATH\n");
    for (const named of [join(folder, "none"), folder, "no-such-program", launcher]) {
      const { code, output } = await ask({ PATH: path, TIDEOVER: named });
      assert.equal(code, 2);
      assert.equal(output, `The variable TIDEOVER names ${named}, which is no program.\n`);
    }
  },
);
