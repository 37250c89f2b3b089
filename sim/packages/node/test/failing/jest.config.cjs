module.exports = { ...require("../jest/jest.config.cjs"), testMatch: ["**/failing/jest.cjs"] };
