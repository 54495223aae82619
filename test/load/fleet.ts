import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { AcknowledgedBatch, Told, WorkerOrder } from './orders.ts';

/** Processes of a test, each of which is started again when it was killed. */
export class Fleet {
  readonly #file: string;
  readonly #order: WorkerOrder;
  readonly #onBatch: (batch: AcknowledgedBatch) => void;
  readonly #children: ChildProcess[] = [];
  /** Reports of processes that ended by themselves. */
  readonly faults: string[] = [];

  constructor(file: string, order: WorkerOrder, onBatch: (batch: AcknowledgedBatch) => void) {
    this.#file = file;
    this.#order = order;
    this.#onBatch = onBatch;
  }

  get size(): number {
    return this.#children.length;
  }

  /** Starts a process in this place; resolves when the process has its logs open, or has ended. */
  async start(nth: number): Promise<void> {
    const args = ['--disable-warning=ExperimentalWarning', this.#file, JSON.stringify(this.#order)];
    // A group of its own: an interruption of this process from a terminal is no kill of the other.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#children[nth] = child;
    let trouble = '';
    child.stderr.on('data', (chunk) => (trouble += String(chunk)));
    child.once('exit', (code) => {
      if (code !== null && code !== 0) this.faults.push(`A process ended by itself with ${code}: ${trouble}`);
    });
    const lines = createInterface({ input: child.stdout });
    const opened = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        const told = read(line);
        if (told !== undefined && 'opened' in told) resolve();
        else if (told !== undefined) this.#onBatch(told);
      });
      child.once('exit', () => resolve());
    });
    await opened;
  }

  async kill(nth: number): Promise<void> {
    const child = this.#children[nth];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // the output ends behind the last line that the process wrote
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  /** Pauses a process for a time, in which its leases end. */
  pause(nth: number, ms: number): void {
    const child = this.#children[nth];
    child?.kill('SIGSTOP');
    setTimeout(() => child?.kill('SIGCONT'), ms);
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#children.map((_, nth) => this.kill(nth)));
  }

  /** Resolves with the exit code of the process in this place. */
  async ended(nth: number): Promise<number | null> {
    const child = this.#children[nth];
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child.exitCode;
  }
}

/** A whole line of a process; undefined for the beginning of a line. */
function read(line: string): Told | undefined {
  try {
    return JSON.parse(line) as Told;
  } catch {
    return undefined;
  }
}
