import type { Reporter, TestModule } from "vitest/node";

/** Names the failed tests once more in the last lines, which are all that is left of a long run where only its end is kept. */
export default class FailedNames implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.flatMap((module) => [...module.children.allTests("failed")].map((test) => `${module.relativeModuleId} > ${test.fullName}`));
    const broken = modules.filter((module) => module.errors().length > 0).map((module) => module.relativeModuleId);
    if (failed.length + broken.length > 0) process.stderr.write(`${["Failed:", ...broken, ...failed].join("\n  ")}\n`);
  }
}
