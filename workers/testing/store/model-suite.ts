import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headAfter, type Link, NO_RECORDS } from '../../../core/ledger/chain.ts';
import { readRecords } from '../../store/read-run.ts';
import type { LedgerStore } from '../../store/store.ts';
import { runId } from './sample.ts';
import { expectOneLog, forked } from './sample-append.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/** Compares a store with a model after random appends, reopenings and crashes of two tabs. */
export function modelTest(
  newPlace: () => Promise<StorePlace>,
  { numRuns, maxLength }: { readonly numRuns: number; readonly maxLength: number },
): void {
  test('a store agrees with its model after random appends, reopenings and crashes of two tabs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength }), async (actions) => {
        const place = await newPlace();
        const tabs = [await place.open(), await place.open()];
        const model = new Map<string, Link[]>();
        for (const step of actions) await perform(step, tabs, place, model);
        for (const tab of tabs) {
          for (const [run_id, links] of model)
            expect(valueOf(await readRecords(tab, run_id))).toEqual(links.map((link) => link.text));
          await expectOneLog(
            tab,
            [...model].flatMap(([run_id, links]) => (links.length > 0 ? [run_id] : [])),
          );
          await tab.close();
        }
      }),
      { numRuns },
    );
  });
}

type Action = { readonly tab: 0 | 1 } & (
  | { readonly do: 'reopen' }
  | { readonly do: 'crash'; readonly run: number; readonly records: number; readonly afterMs: number }
  | {
      readonly do: 'append';
      readonly run: number;
      readonly records: number;
      readonly stale: boolean;
      readonly seal: boolean;
    }
);

const tab = fc.constantFrom<0 | 1>(0, 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), tab }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      tab,
      run: fc.integer({ min: 1, max: 3 }),
      records: fc.integer({ min: 1, max: 4 }),
      afterMs: fc.integer({ min: 0, max: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      tab,
      run: fc.integer({ min: 1, max: 3 }),
      records: fc.integer({ min: 1, max: 4 }),
      stale: fc.boolean(),
      seal: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
);

async function perform(
  step: Action,
  tabs: LedgerStore[],
  place: StorePlace,
  model: Map<string, Link[]>,
): Promise<void> {
  const store = tabs[step.tab] as LedgerStore;
  if (step.do === 'reopen') {
    await store.close();
    tabs[step.tab] = await place.open();
    return;
  }
  const run_id = runId(step.run);
  const known = model.get(run_id) ?? [];
  if (step.do === 'crash') {
    const last = known.at(-1)?.record;
    const cut = forked(run_id, last === undefined ? NO_RECORDS : headAfter(last), step.records);
    void store.append(cut, 'relaxed').catch(() => undefined);
    // The append is under way. Its progress depends on the machine.
    await new Promise((resolve) => setTimeout(resolve, step.afterMs));
    await (place.crash ?? closed)(store);
    tabs[step.tab] = await place.open();
    // The append was not acknowledged. The log holds all of its records or none of them.
    const found = valueOf(await readRecords(tabs[step.tab] as LedgerStore, run_id));
    const isThere = found.length > known.length;
    model.set(run_id, isThere ? [...known, ...cut.records] : known);
    return expect(found).toEqual(model.get(run_id)?.map((link) => link.text));
  }
  // A stale writer has not seen the run's last record.
  const seen = step.stale ? known.slice(0, -1) : known;
  const last = seen.at(-1)?.record;
  const expected = last === undefined ? NO_RECORDS : headAfter(last);
  const append = { ...forked(run_id, expected, step.records, step.seal), payloads: [] };
  const done = await store.append(append, 'relaxed');
  const sealed = known.at(-1)?.record.kind === 'seal';
  const wanted = seen.length < known.length ? 'head_moved' : sealed ? 'run_sealed' : 'ok';
  expect(done.ok ? 'ok' : done.refusal.code).toBe(wanted);
  if (done.ok) model.set(run_id, [...known, ...append.records]);
}

function closed(store: LedgerStore): Promise<void> {
  return store.close();
}
