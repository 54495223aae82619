// Vitest reporter: progress alone. Failures are printed by the `minimal` reporter beside it.
import { Progress } from './progress.mjs';

export default class {
  #progress = new Progress();

  #sharded = false;

  /** @param {{config: {shard?: unknown}}} vitest */
  onInit({ config: { shard } }) {
    this.#sharded = shard !== undefined;
  }

  /** @param {readonly unknown[]} specifications the files of all shards */
  onTestRunStart(specifications) {
    if (!this.#sharded) this.#progress.files = specifications.length;
    this.#progress.start();
  }

  /** @param {{result(): {state: string}}} test */
  onTestCaseResult(test) {
    const { state } = test.result();
    if (state === 'passed') this.#progress.passed += 1;
    if (state === 'failed') this.#progress.failed += 1;
  }

  onTestModuleEnd() {
    this.#progress.filesDone += 1;
  }

  onTestRunEnd() {
    this.#progress.stop();
  }
}
