import { type ReadonlySignal, signal } from '@preact/signals-core';
import {
  type Budgets,
  type ConsoleLine,
  type Dialect,
  decodeUtf8,
  type LedgerRecord,
  type PayloadRef,
  type PowerCall,
  type RunLimits,
  type ToolDefinition,
} from '../../../core/index.ts';
import type {
  ApprovalAnswer,
  CapabilityDefinition,
  GrantOption,
  ModelPort,
  Run,
  Runtime,
  RunView,
} from '../../../workers/api.ts';

import { lab as texts } from '../../texts/en/lab.ts';
import type { StepInHand } from './stop-place.ts';

/** Opens a runtime of its own, in memory. A page passes `openRuntime`; a test passes the Node version. */
export type OpenRuntime = (options: {
  readonly store: 'memory';
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  readonly guard: boolean;
  readonly tools?: readonly ToolDefinition[];
}) => Promise<Runtime>;

export interface LabOptions {
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  readonly tools?: readonly ToolDefinition[];
  readonly dialect?: Dialect;
  readonly task?: string;
  readonly guard?: boolean;
  readonly limits?: Partial<RunLimits>;
  readonly budgets?: Budgets;
  /** Prepares the runtime before the run starts, for example with content. */
  readonly prepare?: (runtime: Runtime) => Promise<void>;
}

/** The result of a proposal, read from its receipt and the bytes that the receipt names. */
export interface Trial {
  readonly records: readonly LedgerRecord[];
  /** The step, with the data that repeating its call needs. */
  readonly step: StepInHand;
  readonly receipt: LedgerRecord & { readonly kind: 'receipt' };
  /** The reply to the model: canonical JSON. */
  readonly reply: string;
  readonly console: readonly ConsoleLine[];
  readonly powerCalls: readonly PowerCall[];
  /** From handing the proposal in to hearing of its receipt. Wall clock: for showing only. */
  readonly elapsedMs: number;
}

/**
 * A separate run for trying proposals: the same gates, sandbox and ledger as every run, in workers of its own and in
 * memory only. A trial cannot touch the page's runs, and is gone when the lab is closed.
 */
export interface Lab {
  /** Of its run. */
  readonly id: string;
  readonly records: ReadonlySignal<readonly LedgerRecord[]>;
  readonly view: ReadonlySignal<RunView>;
  readonly runtime: Runtime;
  /** Rejects where the run has ended before it could answer. Call it again only after it has settled. */
  propose(text: string | Uint8Array): Promise<Trial>;
  /** Answers the question with this digest. */
  answer(digest: string, answer: ApprovalAnswer): Promise<void>;
  text(ref: PayloadRef): Promise<string>;
  /** The run so far, as a file that verifies. */
  export(): Promise<string>;
  /** The same, after the run was ended where it had not ended. */
  seal(): Promise<string>;
  close(): Promise<void>;
}

export async function openLab(open: OpenRuntime, options: LabOptions): Promise<Lab> {
  const { capabilities, grants, dialect = 'xct', task = 'Try something out', guard = true, limits = {} } = options;
  const tools = options.tools === undefined ? {} : { tools: options.tools };
  const runtime = await open({ store: 'memory', capabilities, grants, guard, ...tools });
  await options.prepare?.(runtime);
  const desk = makeDesk();
  const budgets = options.budgets === undefined ? {} : { budgets: options.budgets };
  const run = runtime.start({ dialect, task, limits, ...budgets, model: desk.port });
  return labOf(runtime, run, desk);
}

/** Takes texts, and offers a model that waits for them. */
interface Desk {
  readonly port: ModelPort;
  hand(text: string | Uint8Array): void;
}

function makeDesk(): Desk {
  const texts: (string | Uint8Array)[] = [];
  let take: (() => void) | undefined;
  const propose: ModelPort['propose'] = async (_request, { signal }) => {
    while (texts.length === 0) {
      await new Promise<void>((resolve, reject) => {
        take = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    }
    return { text: texts.shift() ?? '' };
  };
  return {
    port: { id: 'lab: handed in', locality: { kind: 'local' }, propose },
    hand: (text) => {
      texts.push(text);
      take?.();
    },
  };
}

function labOf(runtime: Runtime, run: Run, desk: Desk): Lab {
  const records = signal<readonly LedgerRecord[]>([]);
  const view = signal(run.view);
  const stop = run.watch((next) => {
    view.value = next;
  });
  const wanted = new Set<Wanted>();
  let over = false;
  const end = (): void => {
    over = true;
    settle(wanted, (each) => each.over());
  };
  void follow(run, records, wanted).then(end, end);
  const text = async (ref: PayloadRef): Promise<string> => {
    const bytes = await runtime.ledger.payload(run.id, ref);
    return bytes === undefined ? '' : decodeLeniently(bytes);
  };
  const list = async <T>(ref: PayloadRef | undefined): Promise<readonly T[]> =>
    ref === undefined ? [] : (JSON.parse(await text(ref)) as readonly T[]);

  return {
    id: run.id,
    runtime,
    records,
    view,
    text,
    propose: async (proposal) => {
      const from = performance.now();
      const known = records.peek().length;
      const heard = nextReceipt(wanted);
      if (over) end();
      desk.hand(proposal);
      const receipt = await heard;
      const elapsedMs = performance.now() - from;
      const own = ofStep(records.peek().slice(known), receipt.body.evidence.step);
      const reply = own.find((record) => record.kind === 'observation')?.body.payload;
      const { console, power_calls } = receipt.body.evidence;
      const bytes = (ref: PayloadRef) => runtime.ledger.payload(run.id, ref);
      return {
        records: own,
        step: { configuration: records.peek()[0], records: own, bytes },
        receipt,
        reply: reply === undefined ? '' : await text(reply),
        console: await list<ConsoleLine>(console),
        powerCalls: await list<PowerCall>(power_calls),
        elapsedMs,
      };
    },
    answer: async (digest, answer) => {
      await run.answer(digest, answer);
    },
    export: () => runtime.ledger.export(run.id),
    seal: async () => {
      if (run.view.end === undefined) await run.abort('the lab is closed');
      await run.result.catch(() => undefined);
      return runtime.ledger.export(run.id);
    },
    close: async () => {
      stop();
      end();
      await runtime.close();
    },
  };
}

type ReceiptRecord = Trial['receipt'];
interface Wanted {
  readonly found: (receipt: ReceiptRecord) => void;
  readonly over: () => void;
}

function nextReceipt(wanted: Set<Wanted>): Promise<ReceiptRecord> {
  return new Promise((resolve, reject) => {
    wanted.add({ found: resolve, over: () => reject(new Error(texts().runEnded)) });
  });
}

/** Listens to the run to its end. */
async function follow(run: Run, records: { value: readonly LedgerRecord[] }, wanted: Set<Wanted>): Promise<void> {
  for await (const record of run.records()) {
    records.value = [...records.value, record];
    if (record.kind === 'receipt') settle(wanted, (each) => each.found(record));
  }
}

function settle(wanted: Set<Wanted>, tell: (each: Wanted) => void): void {
  const waiting = [...wanted];
  wanted.clear();
  waiting.forEach(tell);
}

function ofStep(records: readonly LedgerRecord[], step: number): readonly LedgerRecord[] {
  return records.filter((record) =>
    record.kind === 'receipt' ? record.body.evidence.step === step : 'step' in record.body && record.body.step === step,
  );
}

/** Payloads are shown, not judged: bytes that are not UTF-8 are told so by the record that refused them. */
function decodeLeniently(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? new TextDecoder().decode(bytes);
}
