import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globalSetup: "tideover/vitest/setup", include: ["vitest.ts"] } });
