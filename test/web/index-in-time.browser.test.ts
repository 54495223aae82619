import { type IDBPDatabase, openDB } from 'idb';
import { expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import { fromScript, openRuntime } from '../../web/index.ts';
import type { Batch } from '../../workers/store/store.ts';

/** Records of a run as another program reads them in the database. */
async function recordsIn(database: IDBPDatabase, run_id: string): Promise<readonly LedgerRecord[]> {
  const batches = (await database.getAll('batches')) as Batch[];
  const own = batches.filter((batch) => batch.run_id === run_id);
  return own.flatMap(({ records }) => records.map((text) => JSON.parse(text) as LedgerRecord));
}

test('every receipt and the index of the sections are in IndexedDB when a run reports its end', async () => {
  const runtime = await openRuntime({
    capabilities: [
      {
        name: 'add',
        version: '1.0.0',
        description: 'Adds.',
        effect: 'pure',
        args: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        source: 'export default ({ a }) => a + 1;',
      },
    ],
    grants: [{ capability: 'add', mode: 'allow' }],
  });
  // open before the run ends, so that the read comes right behind its end
  const database = await openDB('sallyport');
  try {
    await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# One\nText.\n\n# Two\nText.\n') }]);
    const { sections } = (await database.get('files', 'a.md')) as { sections: string };
    expect((JSON.parse(sections) as unknown[]).length).toBeGreaterThan(1);
    const calls = [1, 2, 3].map((a) => ({ next_step: { tool: 'add', arguments: { a }, goal: 'add' } }));
    const model = fromScript([...calls, { done: true, message: 'Added.' }]);
    const run = runtime.start({ dialect: 'xct', task: 'Add.', model });
    const end = await run.result;
    expect(end, JSON.stringify(end)).toMatchObject({ state: 'completed' });
    const records = await recordsIn(database, run.id);
    const told = await runtime.ledger.records(run.id);
    expect(records.map(({ kind, hash }) => [kind, hash])).toEqual(told.map(({ kind, hash }) => [kind, hash]));
    expect(records.filter(({ kind }) => kind === 'receipt').length).toBeGreaterThanOrEqual(3);
  } finally {
    database.close();
    await runtime.storage.deleteEverything();
  }
});
