import { expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts } from '../../../workers/node/platform.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { done, NOTE, put } from '../note.ts';
import { forChecks, forRuns } from '../shared.ts';

/** A process over a log that outlives it. */
async function open(log: MemoryLog, isFirst: boolean): Promise<Runtime> {
  const ports = { store: openMemoryStore(log), ...(await forRuns()), ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const options = { capabilities: [NOTE], grants: [{ capability: 'note.put', mode: 'allow' }] } as const;
  return openClient(kernel, async () => localAuditor(forChecks), isFirst ? options : {});
}

/** The events that a process has told of a run, up to the end of the run or the loss of the process. */
function listen(run: Run): { told: string[]; over: Promise<void>; leave: () => Promise<void> } {
  const told: string[] = [];
  const gone = new AbortController();
  const over = (async () => {
    for await (const { event } of run.telemetry({ signal: gone.signal })) told.push(event.event_type);
  })();
  return { told, over, leave: () => (gone.abort(), over) };
}

/** Number of times that each name occurs, less the names in `less`. */
function tally(names: readonly string[], less: readonly string[] = []): { readonly [name: string]: number } {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const name of less) counts.set(name, (counts.get(name) ?? 0) - 1);
  return Object.fromEntries([...counts].filter(([, count]) => count !== 0));
}

test('a run lost in the middle of a call has the events and records of a whole run, and those of the loss', async () => {
  const items = [put('tea'), { nonsense: true }, put('milk'), done];
  const start = (runtime: Runtime, model: object[]) =>
    runtime.start({ dialect: 'xct', task: 'Note.', model: fromScript(model), paused: true });
  const whole = await open(emptyLog(), true);
  const run = start(whole, items);
  const all = listen(run);
  await run.run();
  await run.result;
  await all.over;

  const log = emptyLog();
  const first = start(await open(log, true), items.slice(0, 1));
  const before = listen(first);
  await first.step();
  await expect.poll(() => before.told.filter((type) => type === 'memory_committed').length).toBe(3);
  await before.leave();
  // The receipt, and with it the commit that this process was told of, did not reach the disk.
  log.batches.pop();
  const second = await open(log, false);
  const again = await second.resume(first.id, fromScript(items.slice(1)));
  const after = listen(again);
  await again.run();
  await again.result;
  await after.over;

  const kinds = (records: readonly LedgerRecord[]) => records.map(({ kind }) => kind);
  const [recorded, records] = [await whole.ledger.records(run.id), await second.ledger.records(first.id)];
  expect(tally(kinds(records), kinds(recorded))).toEqual({ state: 1 });
  const told = [...before.told, ...after.told].filter((type) => type !== 'state_transition');
  // The call has two ends: a success before the loss, and a failure when the next process closes it with one more
  // write.
  const loss = { run_resumed: 1, capability_failed: 1, step_failed: 1, memory_write: 1, memory_committed: 1 };
  const usual = all.told.filter((type) => type !== 'state_transition');
  expect(tally(told, usual)).toEqual(loss);
  expect(tally(told)['protocol_received']).toBe(tally(kinds(records))['proposal']);
  const receipts = records.flatMap(({ kind, body }) =>
    kind === 'receipt' ? [body.evidence.reason?.code ?? 'SUCCESS'] : [],
  );
  expect(receipts).toEqual(['interrupted', 'form_none', 'SUCCESS', 'SUCCESS']);
});
