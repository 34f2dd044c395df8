import { defineConfig } from "vitest/config";

// Runs the published package beside our server; it downloads, so it is a job of its own (`make compat`).
export default defineConfig({
  test: {
    include: ["compat/**/*.compat.ts"],
    environment: "node",
    testTimeout: 180_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // Of the public servers; each is two processes at times.
    maxConcurrency: 2,
  },
});
