module.exports = {
  testMatch: ["**/*.test.cjs"],
  globalSetup: "tideover/jest/setup",
  globalTeardown: "tideover/jest/teardown",
};
