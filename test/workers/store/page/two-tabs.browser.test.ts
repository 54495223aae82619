import { afterEach, expect, test } from 'vitest';
import { rootOf } from '../../../../core/ledger/tree.ts';
import { pass } from '../../../../core/outcome.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { endTabs, newName, newTab, one } from './tabs.ts';

afterEach(endTabs);

test('content of a tab that died is in the index after the next tab took the run', async () => {
  const name = newName();
  const [first, second] = [newTab(), newTab()];
  const [dying, next] = [await first.tab.open(name), await second.tab.open(name)];
  const appends = one.batches.map((batch) => dying.append({ run_id: one.run_id, ...batch }, 'relaxed'));
  for (const done of await Promise.all(appends)) valueOf(done);
  first.crash();
  valueOf((await next.gather?.(one.run_id)) ?? pass(undefined));
  expect(valueOf(await readRecords(next, one.run_id))).toHaveLength(one.batches.flatMap((each) => each.records).length);
});

test('a tab that writes without a pause and a tab that opens beside it have a single log', async () => {
  const name = newName();
  const [writer, other] = [newTab(), newTab()];
  const store = await writer.tab.open(name);
  const long = sampleRun(3, 200);
  const writing = (async () => {
    for (const batch of long.batches) valueOf(await store.append({ run_id: long.run_id, ...batch }, 'relaxed'));
  })();
  for (let nth = 0; nth < 5; nth++) {
    const beside = await other.tab.open(name);
    expect(await beside.status()).toMatchObject({ state: 'good', mirror: 'opfs', epoch: 1 });
    const { size, root } = valueOf(await beside.head());
    const log = valueOf(await beside.log(0, 1_000)).filter(({ after }) => after.log.size <= size);
    expect(log.at(-1)?.after.log.size ?? 0).toBe(size);
    const last = log.at(-1)?.after.log;
    if (last !== undefined) expect(rootOf(last)).toEqual(root);
    await beside.close();
  }
  await writing;
  expect(valueOf(await readRecords(store, long.run_id))).toHaveLength(
    long.batches.flatMap(({ records }) => records).length,
  );
});
