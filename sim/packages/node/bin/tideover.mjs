#!/usr/bin/env node
// Runs the program of this platform, as if it had been called itself.

import { spawn } from "node:child_process";

import { findBinary } from "../dist/esm/binary.cjs";

try {
  const child = spawn(findBinary(), process.argv.slice(2), { stdio: "inherit" });
  // A terminal sends its signals to both; others reach this process alone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => (process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1)));
} catch (error) {
  fail(error.message);
}

function fail(message) {
  console.error(message);
  process.exitCode = 2;
}
