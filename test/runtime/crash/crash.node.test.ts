import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentHash, type JsonValue } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import type { Ports } from '../../../workers/ports.ts';
import { openDirectoryStore } from '../../../workers/store/directory/store.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { openSqliteStore } from '../../../workers/store/sqlite/store.ts';
import type { LedgerStore } from '../../../workers/store/store.ts';
import { valueOf } from '../../../workers/testing/store/store-place.ts';
import { isTried } from '../../cases.ts';
import { HAS_SQLITE } from '../../workers/store/sqlite/place.ts';
import { message, read, write } from '../content/messages.ts';
import { forChecks } from '../shared.ts';
import { receiptFaults } from './receipt-schema.ts';
import { CRASHES, call, compare, faultsOf, furnish, OPTIONS, send } from './table.ts';

let sandboxes: Awaited<ReturnType<typeof openSandboxes>>;
beforeAll(async () => {
  sandboxes = await openSandboxes();
});
const base = mkdtempSync(join(tmpdir(), 'sallyport-crash-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Opens a store again and again: each time as another process. */
type OpenStore = () => LedgerStore;
const PLACES: readonly (readonly [place: string, newPlace: () => OpenStore])[] = [
  [
    'memory',
    () => {
      const log = emptyLog();
      return () => openMemoryStore(log);
    },
  ],
  [
    'a directory',
    () => {
      const directory = mkdtempSync(join(base, 'place-'));
      return () => valueOf(openDirectoryStore(directory));
    },
  ],
  // the suites of the store in SQLite say where this Node has none
  ...(HAS_SQLITE
    ? [
        [
          'SQLite',
          () => {
            const path = join(mkdtempSync(join(base, 'place-')), 'ledger.sqlite');
            return () => valueOf(openSqliteStore(path));
          },
        ] as const,
      ]
    : []),
];

/** A store whose process dies behind its `most`th write of the step: that write is durable, and no later one is. */
function dying(store: LedgerStore, most: number, died: () => void): LedgerStore {
  let writes = 0;
  const append: LedgerStore['append'] = async (asked, durability) => {
    const isOfStep = asked.records.some(({ record }) => 'step_id' in record.body || record.kind === 'receipt');
    if (isOfStep && ++writes > most) {
      died();
      return new Promise<never>(() => undefined);
    }
    return store.append(asked, durability);
  };
  return new Proxy(store, { get: (target, key) => (key === 'append' ? append : Reflect.get(target, key, target)) });
}

async function open(store: LedgerStore): Promise<Runtime> {
  const ports: Ports = { store, ...sandboxes, ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), OPTIONS);
}

const CASES = PLACES.flatMap(([place, newPlace]) => CRASHES.map((each) => ({ ...each, place, newPlace })));

describe('a message whose process dies', () => {
  test.each(CASES.filter((_, nth) => isTried(nth)))(
    '$title, behind write $nth, in $place: the receipt has what had settled',
    async ({ newPlace, ...crash }) => {
      const openStore = newPlace();
      const store = openStore();
      let died: () => void = () => undefined;
      const death = new Promise<void>((resolve) => {
        died = resolve;
      });
      const first = await open(dying(store, crash.nth + 1, () => died()));
      await furnish(first);
      const run = send(first, crash.ops);
      await death;
      await store.close?.();
      await compare(await open(openStore()), run.id, crash);
    },
  );
});

test('a message of reads alone has no record beside those that a message always had', async () => {
  const runtime = await open(openMemoryStore());
  await furnish(runtime);
  const run = send(runtime, [read('@x/a'), call('pure'), read('@x/a')]);
  await run.result;
  const kinds = (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
  expect(kinds.slice(2, 9)).toEqual([
    'proposal',
    'verdict',
    'decision',
    'decision',
    'decision',
    'observation',
    'receipt',
  ]);
});

test('a question inside a program of a message is put again, behind the operations that had settled', async () => {
  const log = emptyLog();
  const first = await open(openMemoryStore(log));
  await furnish(first);
  const change = write('@x/a', { content: '# A\ntwo\n', expected_hash: contentHash('# A\none\n') });
  const ops = [read('@x/a'), change, call('host.send'), call('asks'), read('@x/a', { slice: 'lines[1:2]' })];
  const run = send(first, ops);
  run.run().catch(() => undefined);
  // the process dies as soon as the question can be read
  const left = await new Promise<typeof log>((resolve) =>
    run.watch(({ pending }) => pending && resolve(structuredClone(log))),
  );

  const second = await open(openMemoryStore(left));
  const again = await second.resume(run.id, fromScript([message([])]));
  await expect.poll(() => again.view.pending?.capability, { timeout: 20_000 }).toBe('host.ask');
  await again.answer(again.view.pending?.digest ?? '', { approved: true });
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed' });
  const [receipt] = (await second.ledger.records(run.id)).flatMap((record) =>
    record.kind === 'receipt' ? [record.body] : [],
  );
  expect(receipt?.evidence.reason).toBeUndefined();
  expect(receipt?.receipt.actions.map(({ status }) => status)).toEqual(Array(5).fill('SUCCESS'));
  expect(receipt?.receipt.expanded.map(({ slice }) => slice)).toEqual(['head(1)', 'lines[1:2]']);
  expect(receiptFaults(receipt?.receipt as unknown as JsonValue)).toEqual([]);
  expect(await faultsOf(second, run.id)).toEqual([]);
});
