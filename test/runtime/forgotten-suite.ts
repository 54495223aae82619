import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuse } from '../../core/errors.ts';
import type { Bodies } from '../../core/index.ts';
import type { JsonObject } from '../../core/json/value.ts';
import type { Runtime } from '../../workers/api.ts';
import { makeRetention } from '../../workers/kernel/retention.ts';
import { runCommand, type Terminal } from '../../workers/node/command/command.ts';
import { forget } from '../../workers/node/command/forget.ts';
import { defineCapability, definePower, fromScript, type NodeOptions, openRuntime } from '../../workers/node.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { stopping } from '../../workers/testing/store/sample.ts';

const [VALUE, OLD, ARGS, KEY] = ['ZQ-stored-ZQ', 'ZQ-replaced-ZQ', 'ZQ-argument-ZQ', 'ZQ-key-ZQ'];
const terms = { version: '1.0.0', description: 'For a test.', labels: [] } as const;

/** It stores what it is given, reads a key, and waits for a power with its argument in its heap. */
const KEEPER = defineCapability({
  ...terms,
  name: 'keeper',
  effect: 'egress',
  args: { type: 'object' },
  powers: ['store.put', 'store.get', 'vault.read', 'mail.send'],
  source: `export default async ({ put, get, park, private: isPrivate }, { store, vault, mail }) => {
    if (isPrivate) await vault.read({});
    for (const [key, value] of put ?? []) await store.put(key, value);
    if (park) { const heap = park + '-heap'; await mail.send({}); return heap.length; }
    return get === undefined ? null : await store.get(get) ?? 'absent';
  }`,
});
const vault = definePower({
  ...terms,
  name: 'vault.read',
  effect: 'read',
  labels: ['private'],
  args: {},
  run: () => 1,
});
const mail = definePower({ ...terms, name: 'mail.send', effect: 'egress', args: {}, run: () => 1 });

const grants = [
  { capability: 'keeper', mode: 'allow' },
  { power: 'vault.read', mode: 'allow' },
  // a call is parked while a person is asked
  { power: 'mail.send', mode: 'ask' },
] as const;

function openOver(store: NonNullable<NodeOptions['store']>): Promise<Runtime> {
  return openRuntime({
    store,
    capabilities: [KEEPER],
    powers: [vault, mail],
    grants,
    approve: async () => ({ approved: true }),
  });
}

async function call(runtime: Runtime, args: JsonObject): Promise<{ id: string; labels: readonly string[] }> {
  const session = runtime.openSession();
  const done = await session.call('keeper', args);
  expect(done).toMatchObject({ ok: true });
  await session.close();
  const records = await runtime.ledger.records(session.run.id);
  const receipt = records.findLast(({ kind }) => kind === 'receipt')?.body as Bodies['receipt'];
  return { id: session.run.id, labels: receipt.evidence.labels ?? [] };
}

/** Marks that stand in any file of the folder, also in a write-ahead log. */
function marksIn(folder: string): string[] {
  const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  return [VALUE, OLD, ARGS, KEY, `${ARGS}-heap`].filter((mark) => all.some((text) => text.includes(mark)));
}

/** A store in a folder: how to open a runtime over it, and the operand that names it to the command. */
export interface FolderPlace {
  open(folder: string): NonNullable<NodeOptions['store']>;
  openStore(folder: string): LedgerStore;
  operand(folder: string): string;
}

/** Tests of erasures that look into every file of a store. */
export function forgettingSuite(name: string, place: FolderPlace): void {
  const open = (folder: string) => openOver(place.open(folder));
  const newFolder = (): string => mkdtempSync(join(tmpdir(), 'forgotten-'));

  test(`${name}: an erased run takes its parked heap and the values that it was the last to store out of every file`, async () => {
    const folder = newFolder();
    const runtime = await open(folder);
    const before = await call(runtime, { put: [['k', OLD]], private: true });
    const run = await call(runtime, {
      put: [
        ['k', VALUE],
        [KEY, 1],
      ],
      park: ARGS,
      private: true,
    });
    const other = await call(runtime, { put: [['other', 'stays']] });
    expect(marksIn(folder)).toContain(VALUE);
    const kinds = (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
    expect(kinds).toContain('parked');
    expect(await runtime.capabilities.stored('keeper')).toMatchObject([
      { capability: 'keeper', key: KEY, value: 1, run_id: run.id },
      { key: 'k', value: VALUE, run_id: run.id },
      { key: 'other', run_id: other.id },
    ]);
    expect(await runtime.ledger.erase(run.id, { stored: true })).toEqual({ values: 2, otherTabs: 0 });
    await runtime.ledger.erase(before.id);
    expect(marksIn(folder)).toEqual([]);
    // an absent key is as private as what was stored under it
    expect((await call(runtime, { get: 'k' })).labels).toContain('private');
    const backup = Buffer.from(await (await runtime.storage.backup()).arrayBuffer()).toString('latin1');
    expect(backup).not.toMatch(/ZQ-/);
    expect(await runtime.capabilities.forgetStored('keeper')).toEqual({ values: 1, otherTabs: 0 });
    expect(await runtime.capabilities.stored()).toEqual([]);
    expect((await runtime.ledger.fsck()).ok).toBe(true);
    expect((await runtime.storage.events()).map(({ body }) => body)).toMatchObject([
      { event: 'erased', run: run.id, values: 2 },
      { event: 'erased', run: before.id },
      { event: 'backup_made' },
      { event: 'forgotten', capability: 'keeper', values: 1 },
    ]);
    await expect(runtime.ledger.erase(run.id, ['a'] as never)).rejects.toMatchObject({ code: 'option_invalid' });
    await runtime.close();
    expect(marksIn(folder)).toEqual([]);
  });

  test(`${name}: an erasure that was cut off is finished by the next opening of a runtime, and by the command`, async () => {
    for (const finisher of ['runtime', 'command'] as const) {
      const folder = newFolder();
      const runtime = await open(folder);
      const [run, other] = [await call(runtime, { put: [['k', VALUE]], park: ARGS }), await call(runtime, {})];
      await runtime.close();
      const store = place.openStore(folder);
      // its record is written, and nothing else
      const cut = await makeRetention({ store: stopping(store, 1) }, (_, act) => act()).erase(run.id, { stored: true });
      expect(cut).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
      await store.close();
      expect(marksIn(folder)).toEqual(expect.arrayContaining([VALUE, ARGS]));
      if (finisher === 'runtime') {
        const again = await open(folder);
        expect(marksIn(folder)).toEqual([]);
        await again.close();
      } else {
        const silent = { print: () => undefined, complain: () => undefined } as unknown as Terminal;
        expect(await runCommand(forget, [place.operand(folder), '--run', other.id, '--yes'], silent)).toBe(0);
      }
      expect(marksIn(folder)).toEqual([]);
    }
  });

  test(`${name}: a run that was cut off and then erased is refused as erased, and still verifies`, async () => {
    const folder = newFolder();
    const store = place.openStore(folder);
    const append: LedgerStore['append'] = (given, durability) => {
      const isEnd = given.records.some(({ record }) => record.kind === 'seal');
      return isEnd
        ? Promise.resolve(refuse('store_lost', { reason: 'the power went' }))
        : store.append(given, durability);
    };
    const runtime = await openOver({ ...store, append } as LedgerStore);
    const message = { done: true, message: 'd' };
    const run = runtime.start({
      dialect: 'xct',
      task: ARGS,
      model: fromScript([{ next_step: { tool: 'keeper', arguments: {}, goal: VALUE } }, message]),
    });
    await run.step();
    run.result.catch(() => undefined);
    await runtime.close();
    const again = await open(folder);
    await again.ledger.erase(run.id, { stored: true });
    expect(marksIn(folder)).toEqual([]);
    await expect(again.resume(run.id, fromScript([message]))).rejects.toMatchObject({ code: 'run_erased' });
    await expect(again.resume(run.id, fromScript([message]), { takeOver: true })).rejects.toMatchObject({
      code: 'run_erased',
    });
    expect((await again.ledger.verify(run.id)).ok).toBe(true);
    await again.ledger.delete(run.id);
    expect(await again.runs()).toEqual([]);
    await again.close();
  });

  test(`${name}: a deleted run takes its parked heap along, and leaves what it stored`, async () => {
    const folder = newFolder();
    const runtime = await open(folder);
    const { id } = await call(runtime, { put: [['k', VALUE]], park: ARGS });
    expect(await runtime.ledger.delete(id)).toEqual({ values: 0, otherTabs: 0 });
    expect(marksIn(folder)).toEqual([VALUE]);
    await runtime.close();
  });

  test(`${name}: the command lists what was stored, and erases it behind a typed word`, async () => {
    const folder = newFolder();
    const runtime = await open(folder);
    const { id } = await call(runtime, {
      put: [
        ['k', VALUE],
        ['l', 2],
      ],
    });
    await runtime.close();
    const printed: string[] = [];
    const asked: string[] = [];
    const terminal = (answer: string): Terminal => ({
      color: false,
      print: (text) => void printed.push(text),
      printJson: (value) => void printed.push(JSON.stringify(value)),
      complain: (text) => void printed.push(text),
      read: async () => new Uint8Array(),
      ask: async (question) => {
        asked.push(question);
        return answer;
      },
    });
    expect(await runCommand(forget, [place.operand(folder)], terminal(''))).toBe(0);
    expect(printed.splice(0)).toEqual([`keeper  k  "${VALUE}"  by ${id}`, `keeper  l  2  by ${id}`]);
    expect(await runCommand(forget, [place.operand(folder), '--capability', 'keeper'], terminal('no'))).toBe(70);
    expect(asked).toEqual([expect.stringContaining('2 stored values')]);
    expect(marksIn(folder)).toEqual([VALUE]);
    const given = async (...words: string[]) => runCommand(forget, [place.operand(folder), ...words], terminal(''));
    await expect(given('--run', 'nothing', '--yes')).rejects.toThrow('The ledger has no run nothing');
    await expect(given('--capability', 'keepr', '--yes')).rejects.toThrow(/No capability keepr .* these have: keeper/);
    const short = id.slice(0, 8);
    expect(await runCommand(forget, [place.operand(folder), '--run', short, '--stored'], terminal('erase'))).toBe(0);
    expect(asked.at(-1)).toContain(id);
    expect(printed).toEqual([
      'The texts of the run are erased; its records and hashes stay. 2 stored values are erased',
    ]);
    expect(marksIn(folder)).toEqual([]);
    // a name whose values are gone is still known
    expect(await given('--capability', 'keeper', '--yes')).toBe(0);
  });
}
