import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LedgerRecord, type PayloadRef, parseExport } from '../../../../core/index.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { openingRuntime } from '../../../../web/playground/opening-runtime.ts';
import { SignalView } from '../../../../web/playground/parts/signal-view.ts';
import { openPlayground, type Playground } from '../../../../web/playground/playground.ts';
import type { App } from '../../../../web/playground/shell/app.ts';
import { recordsIn, stepOf } from '../../../../web/records/steps.ts';
import '../../../../web/playground/shell/app.ts';
import type { Run, Runtime, RunView } from '../../../../workers/api.ts';
import { makeRunUpdates, type RunUpdates } from '../../../../workers/client/run-updates.ts';
import WHOLE from '../../../vectors/exports/whole.jsonl?raw';

const FILE = parseExport(WHOLE);
const RECORDS = recordsIn(FILE);
const ID = RECORDS[0]?.run_id ?? '';

/** Longer than a frame of the screen, so that no update is drawn together with the next. */
const APART_MS = 40;
const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

/** Views that were drawn since the count was last taken, and how often. */
const draws = new Map<string, number>();
/** The drawings since the last call, but for those of the panel that counts requests: the page makes some when it is idle. */
function takeDraws(): Record<string, number> {
  const { 'sp-trust': _, ...taken } = Object.fromEntries(draws);
  draws.clear();
  return taken;
}

type Drawn = { render(this: SignalView): unknown };
const prototype = SignalView.prototype as unknown as Drawn;
const { render } = prototype;
beforeEach(() => {
  prototype.render = function counted(this: SignalView) {
    draws.set(this.localName, (draws.get(this.localName) ?? 0) + 1);
    return render.call(this);
  };
});
afterEach(() => {
  prototype.render = render;
  document.body.replaceChildren();
});

const nothing = async (): Promise<readonly unknown[]> => [];

/** A runtime whose only run has the records of an export, and moves when the test says so. */
function scriptedRuntime(updates: RunUpdates): Runtime {
  const run = {
    id: ID,
    get view() {
      return updates.view();
    },
    get result() {
      return updates.result();
    },
    watch: updates.watch,
    records: () => updates.records(),
  } as unknown as Run;
  const payload = async (_: string, ref: PayloadRef): Promise<Uint8Array | undefined> => {
    await pause(1);
    return FILE.payloads.get(ref.sha256)?.slice(ref.salt ?? 0);
  };
  return {
    info: { isolation: 'locked', probes: [], store: { kind: 'memory' } },
    capabilities: { list: nothing },
    grants: { list: nothing },
    ledger: { payload, verify: async () => ({ ok: true, records: 0, head: '', root: '', checks: [] }) },
    storage: {},
    runs: nothing,
    start: () => run,
  } as unknown as Runtime;
}

interface Rig {
  readonly store: Playground;
  /** The four updates of a step, as the kernel sends them: proposed, authorized, carried out, and with its records. */
  step(step: number): Promise<void>;
}

async function openPage(): Promise<Rig> {
  const updates = makeRunUpdates(ID, 'xct', nothing as () => Promise<readonly LedgerRecord[]>);
  const opening = openingRuntime(async () => scriptedRuntime(updates));
  const store = openPlayground(opening, [{ ...bakery('xct'), files: CORPUS, symbols: [] }]);
  const app = document.createElement('sp-app') as App;
  app.store = store;
  document.body.append(app);
  await opening.opened;
  await pause(0);
  store.guide.value = undefined;
  let told = 0;
  const tell = async (view: Pick<RunView, 'mode' | 'phase' | 'steps'>, records: readonly LedgerRecord[] = []) => {
    told += records.length;
    // As over a port: each update is a copy.
    updates.push(structuredClone({ view: { run_id: ID, dialect: 'xct', records: told, ...view } as RunView, records }));
    await pause(APART_MS);
  };
  store.startRun();
  await tell(
    { mode: 'paused', phase: 'IDLE', steps: 0 },
    RECORDS.filter((record) => stepOf(record) === undefined && record.kind !== 'seal'),
  );
  const step = async (nth: number): Promise<void> => {
    const before = { mode: 'stepping', steps: nth - 1 } as const;
    await tell({ ...before, phase: 'INPUT_RECEIVED' });
    await tell({ ...before, phase: 'CAPABILITY_EXECUTING' });
    await tell({ ...before, phase: 'MEMORY_COMMITTING' });
    await tell(
      { mode: 'paused', phase: 'IDLE', steps: nth },
      RECORDS.filter((record) => stepOf(record) === nth),
    );
    await pause(2 * APART_MS);
  };
  return { store, step };
}

test('a step draws each panel that shows its record a single time', async () => {
  const { step } = await openPage();
  await step(1);
  takeDraws();
  await step(2);
  expect(takeDraws()).toEqual({
    'sp-app': 1,
    'sp-composer': 1,
    'sp-explain': 1,
    'sp-inspector': 1,
    // The proposal and the reply.
    'sp-json': 2,
    // The button waits, and is there again.
    'sp-runbar': 2,
    'sp-scrubber': 1,
    'sp-setup': 1,
    // A sentence for each of three phases, and the sentence of the end.
    'sp-status': 4,
    'sp-strip': 1,
    'sp-task': 1,
    'sp-timeline': 1,
  });
});

test('a later step does not draw the record that a person looks at', async () => {
  const { store, step } = await openPage();
  await step(1);
  store.selection.select(2);
  await pause(APART_MS);
  takeDraws();
  await step(2);
  expect(Object.keys(takeDraws())).not.toEqual(expect.arrayContaining(['sp-explain']));
});
