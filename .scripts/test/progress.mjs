// Says every ten seconds how far a stage is, so that a person and a log see that it goes on.

const EVERY_MS = 10_000;

export class Progress {
  files = 0;
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
    const files = this.files === 0 ? '' : `${this.filesDone} of ${this.files} files, `;
    return `     ${seconds} s: ${files}${this.passed} passed${this.failed > 0 ? `, ${this.failed} FAILED` : ''}`;
  }
}
