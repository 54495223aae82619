/** Processes that measure: each opens its logs, then carries out a phase for each line of its input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What a process has spent in a phase. */
export interface PhaseCost {
  /** Statements that it sent, each with a wait for its answer. */
  readonly statements: number;
  /** Transactions that added records. */
  readonly transactions: number;
  /** Bytes over the connections. */
  readonly sent: number;
  readonly received: number;
  /** Time on a processor, in µs. */
  readonly cpu: number;
}

/** A line of a process: its logs are open, a phase is done, or a store has refused it. */
export type MeasuredLine =
  | { readonly opened: true }
  | { readonly ms: number; readonly cost?: PhaseCost }
  | { readonly refused: string };

/** How to start the processes of a measurement. */
export interface ProcessOptions {
  /** File that Node runs. */
  readonly worker: string;
  /** Binary of Node. Absent: that of this process. */
  readonly node?: string;
  /** Argument of each process. */
  readonly orders: readonly object[];
  readonly phases: readonly string[];
  /** Called before each phase, and after it with the lines of the processes. */
  readonly before?: () => Promise<void>;
  readonly after?: (lines: readonly MeasuredLine[], ms: number) => Promise<void>;
}

/**
 * Starts a process for each order. Resolves to the ms of each phase, which all processes begin together; or to the code
 * with which a store refused one of them.
 */
export async function measureProcesses(options: ProcessOptions): Promise<readonly number[] | { refused: string }> {
  const processes = options.orders.map((order) => startMeasured(options, order));
  try {
    const opened = await Promise.all(processes.map(({ answer }) => answer()));
    const refused = opened.find((line) => 'refused' in line);
    if (refused !== undefined) return refused;
    const times: number[] = [];
    for (const phase of options.phases) {
      await options.before?.();
      const began = performance.now();
      const lines = await Promise.all(processes.map(({ ask }) => ask(phase)));
      const ms = performance.now() - began;
      times.push(ms);
      await options.after?.(lines, ms);
    }
    return times;
  } finally {
    await Promise.all(processes.map(({ child }) => end(child)));
  }
}

function startMeasured({ worker, node = process.execPath }: ProcessOptions, order: object) {
  const args = ['--disable-warning=ExperimentalWarning', '--expose-gc', worker, JSON.stringify(order)];
  const child = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<MeasuredLine> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('A process that measures has ended.');
    return JSON.parse(value) as MeasuredLine;
  };
  const ask = (phase: string): Promise<MeasuredLine> => {
    child.stdin.write(`${phase}\n`);
    return answer();
  };
  return { child, answer, ask };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}
