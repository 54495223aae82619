// Says every ten seconds how far a stage is, so that a person and a log see that it goes on.

const EVERY_MS = 10_000;

export class Progress {
  /** Number of files; undefined where it is unknown.
   * @type {number | undefined} */
  files;
  filesDone = 0;
  passed = 0;
  failed = 0;
  #began = Date.now();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  start() {
    this.#began = Date.now();
    this.#timer = setInterval(() => console.log(this.line()), EVERY_MS).unref();
  }

  stop() {
    clearInterval(this.#timer);
  }

  line() {
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const files = this.files === undefined ? `${this.filesDone}` : `${this.filesDone} of ${this.files}`;
    const failed = this.failed > 0 ? `, ${this.failed} FAILED` : '';
    return `     ${seconds} s: ${files} files, ${this.passed} passed${failed}`;
  }
}
