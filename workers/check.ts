import {
  ANCHOR,
  type Anchor,
  type Ask,
  assertKinds,
  type CallSettled,
  type ExportFile,
  type Findings,
  FLAG,
  finding,
  isWhole,
  type Kinds,
  optionsOf,
  parseExport,
  type Report,
  type RunEvent,
  replay,
  SallyportError,
  SIGNAL,
  TEXT,
  tapeOf,
  VALIDATORS,
  verifyFile,
  withCheck,
} from '../core/inner.ts';
import { signatureLack } from './checkpoint.ts';
import type { OpenSandboxes } from './ports.ts';
import { prepareFacts } from './prepare.ts';
import { fromRecord } from './sandbox/replay.ts';

export interface CheckOptions {
  readonly anchor?: Anchor;
  /** Of whoever signs the checkpoint that the anchor is. */
  readonly key?: string;
  /** Also run it again. */
  readonly replay?: boolean;
  /** Gives it up, between two of its calls: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const GIVEN: Kinds = { text: ['the text of an export, not its bytes', (value) => typeof value === 'string'] };
const CHECK: Kinds = { anchor: ANCHOR, key: TEXT, replay: FLAG, signal: SIGNAL };

/**
 * All six checks of an export. Decisions are made again only for records that are whole, and calls only where the
 * decisions hold: so each fault is found by the check it belongs to. Never rejects because of what the text says, only
 * where there is none (`option_invalid`).
 */
export async function checkExport(text: string, given: CheckOptions, open: OpenSandboxes): Promise<Report> {
  assertKinds({ text }, GIVEN, ['text']);
  const options = optionsOf(given, CHECK);
  const { anchor } = options;
  const file = parseExport(text);
  const report = await signedBy(verifyFile(file, anchor === undefined ? {} : { anchor }), options);
  if (!isWhole(report)) return report;
  options.signal?.throwIfAborted();
  const outside = makeOutside(open, options.signal);
  try {
    const decisions = await rerun(file, 'decisions', outside.answer);
    const decided = withCheck(report, 'decisions', decisions);
    if (options.replay !== true || (decisions?.wrong.length ?? 0) > 0) return decided;
    return withCheck(decided, 'replay', await rerun(file, 'replay', outside.answer));
  } finally {
    await outside.close();
  }
}

async function signedBy(report: Report, { anchor, key }: CheckOptions): Promise<Report> {
  const what = key === undefined ? undefined : await signatureLack(anchor, key);
  if (what === undefined) return report;
  return withCheck(report, 'anchor', { count: 1, wrong: [finding(report.records, 'anchor_disagrees', { what })] });
}

type Answer = (ask: Ask) => Promise<RunEvent>;

async function rerun(file: ExportFile, way: 'decisions' | 'replay', answer: Answer): Promise<Findings | undefined> {
  const running = replay(tapeOf(file), way, VALIDATORS);
  let next = running.next();
  while (next.done !== true) {
    const event = await answer(next.value);
    next = running.next(event);
  }
  return next.value;
}

/** Carries out what a replay asks for. Nothing is started before something is asked. */
function makeOutside(
  open: OpenSandboxes,
  signal: AbortSignal | undefined,
): { readonly answer: Answer; close(): Promise<void> } {
  let opened: ReturnType<OpenSandboxes> | undefined;
  let prepared: Promise<unknown> | undefined;

  async function check({ facts, step, schemas, text }: Extract<Ask, { type: 'check' }>): Promise<RunEvent> {
    const { schemas: port } = await (opened ??= open());
    prepared ??= prepareFacts(port, facts);
    await prepared;
    const said = schemas.map(async (hash) => [hash, await port.check(hash, text)] as const);
    return { type: 'checked', step, results: new Map(await Promise.all(said)) };
  }

  async function execute({ effect, recorded, labels }: Extract<Ask, { type: 'execute' }>): Promise<RunEvent> {
    const { sandbox } = await (opened ??= open());
    const { step, call, args, seed, now, heapHash = false } = effect;
    const { hash, manifest } = call.capability;
    const loaded = await sandbox.load({ hash, ...manifest }).catch(unloadable);
    if (loaded === undefined) return { type: 'settled', step, settled: UNLOADABLE, image_hash: recorded.image_hash };
    const { carryOut } = fromRecord(recorded.powerCalls);
    const running = sandbox.call({ hash, args, seed, now, heapHash }, carryOut);
    signal?.addEventListener('abort', running.abort, { once: true });
    const settled = await running.settled;
    signal?.removeEventListener('abort', running.abort);
    const touched = recorded.touched && { touched: recorded.touched };
    return { type: 'settled', step, settled, image_hash: loaded.imageHash, labels, ...touched };
  }

  return {
    answer: async (ask) => {
      const event = await (ask.type === 'check' ? check(ask) : execute(ask));
      signal?.throwIfAborted();
      return event;
    },
    close: async () => (await opened)?.sandbox.close(),
  };
}

/** A source that does not load cannot have been called: what the record says of it comes out otherwise. */
const UNLOADABLE: CallSettled = { ok: false, kind: 'corrupt', fuel: 0, console: [], powerCalls: [] };

function unloadable(error: unknown): undefined {
  if (!(error instanceof SallyportError)) throw error;
}
