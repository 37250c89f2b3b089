import { defineConfig } from "vitest/config";

export default defineConfig({
  // Machines differ in how long 200 tests take together.
  test: { globalSetup: "tideover/vitest/setup", maxConcurrency: 50, testTimeout: 60_000 },
});
