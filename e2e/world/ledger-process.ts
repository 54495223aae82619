import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LedgerRecord } from '../../core/index.ts';

const PROGRAM = join(import.meta.dirname, 'ledger-process.mjs');

export interface Answer {
  readonly run_id?: string;
  readonly receipt?: { readonly hash: string; readonly step_id: string };
  readonly code?: string;
  readonly state?: string;
  readonly ok?: boolean;
  /** True where another process holds the run. */
  readonly held?: boolean;
  /** Time by the clock of the process, in ms. */
  readonly now?: number;
  readonly failed?: readonly string[];
  readonly records?: readonly LedgerRecord[];
}

/** A process on the ledger: commands go in, and each is answered by a line. */
export class LedgerProcess {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(binary: string, env: NodeJS.ProcessEnv, args: readonly string[], program: string = PROGRAM) {
    const started = spawn(binary, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.process = started;
    this.#lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  }

  async answer(): Promise<Answer> {
    const { value } = (await this.#lines.next()) as { readonly value?: string };
    return JSON.parse(value ?? '{}') as Answer;
  }

  ask(command: string): Promise<Answer> {
    this.process.stdin?.write(`${command}\n`);
    return this.answer();
  }

  async end(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.stdin?.end('end\n');
    await ended;
  }

  async kill(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** Steps whose effect happened, in order. */
export function effectsIn(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
}
