import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    environment: "node",
    reporters: ["default", "./test-support/failed-names.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What other processes do is waited for; a busy machine takes its time.
    expect: { poll: { timeout: 15_000 } },
    unstubEnvs: true,
    // Most tests wait for processes, so a worker on each core is never idle for long.
    maxWorkers: "100%",
  },
});
