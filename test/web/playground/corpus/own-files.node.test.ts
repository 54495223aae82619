import { type Signal, signal } from '@preact/signals-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Dialect, encodeText, type Grant } from '../../../../core/index.ts';
import { filesIn, type OwnFiles, openOwnFiles } from '../../../../web/playground/corpus/own-files.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { openShelf } from '../../../../web/playground/gallery/shelf.ts';
import type { ContentOverview, ModelPort, Runtime } from '../../../../workers/api.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const DIALECTS = ['xct', 'femtoclaw', 'catalytic'] as const;
const HOME = { ...bakery('catalytic'), files: CORPUS, symbols: [] };

let runtime: Runtime;
let ownFiles: OwnFiles;
let overview: Signal<ContentOverview | undefined>;
const grants = signal<readonly Grant[]>([]);
let names: readonly string[] = [];
let dialect: Dialect = 'xct';
/** What the page does when another tab has changed a setting. */
let onStorage: (event: { readonly key: string; readonly newValue: string }) => void;

beforeEach(async () => {
  const { capabilities, grants: given } = HOME;
  runtime = await openRuntime({ capabilities, grants: given });
  overview = signal<ContentOverview | undefined>(undefined);
  const changed = async (): Promise<void> => {
    grants.value = await runtime.grants.list();
    names = (await runtime.capabilities.list()).map(({ name }) => name);
  };
  await changed();
  const isNamed = (): boolean => dialect === 'catalytic';
  const failed = (error: unknown): void => expect.unreachable(String(error));
  vi.stubGlobal('addEventListener', (_: string, listener: typeof onStorage) => (onStorage = listener));
  ownFiles = openOwnFiles({ runtime, overview, papers: CORPUS, grants, isNamed, changed, failed });
  vi.unstubAllGlobals();
});
afterEach(() => runtime.close());

async function add(files: { readonly [path: string]: string }): Promise<void> {
  await runtime.content.add(Object.entries(files).map(([path, text]) => ({ path, bytes: encodeText(text) })));
  await ownFiles.begin();
}

const shelf = () =>
  openShelf({ runtime, home: [HOME], files: DIALECTS.map(filesIn), names: () => names, changed: async () => {} });

/** A model that searches for the appointment, reads the section found, and answers with the words it was shown. */
function reader(dialect: (typeof DIALECTS)[number]): ModelPort {
  const say = (tool: string, args: object): object => {
    if (dialect === 'xct') return { next_step: { tool, arguments: args, goal: 'answer' } };
    if (dialect === 'femtoclaw') return { tool_call: { tool, args } };
    const target = `@TOOLS/${tool}`;
    // a message lists all that it touches
    const refs = [target, ...('ref' in args ? [args.ref] : [])];
    return { ...MESSAGE, refs, ops: [{ type: 'EXECUTE', target, params: { args } }] };
  };
  const end = (message: string): object => {
    if (dialect === 'xct') return { done: true, message };
    return dialect === 'femtoclaw' ? { message: { content: message } } : { ...MESSAGE, intent: message };
  };
  return {
    id: 'reader',
    locality: { kind: 'local' },
    propose: async ({ messages }) => {
      const asked = JSON.stringify(messages);
      const section = /section_id\W+([0-9a-f]{64})/u.exec(asked)?.[1];
      if (asked.includes('Tuesday at nine')) return { text: JSON.stringify(end('Tuesday at nine.')) };
      const symbol = /@MYFILES\/[a-z._]*doctor\.md/u.exec(asked)?.[0];
      const ref = dialect === 'catalytic' ? symbol : section;
      const next =
        section === undefined
          ? say('myfiles.search', { query: 'appointment' })
          : say('myfiles.read', { ref, slice: 'head(3)' });
      return { text: JSON.stringify(next) };
    },
  };
}

const MESSAGE = {
  intent: 'answer',
  refs: [],
  ops: [],
  budgets: { max_symbols: 5, max_sections: 5, max_bytes_expanded: 2000, max_expands_per_step: 3 },
  required_outputs: [],
};

const NOTES = { 'health/doctor.md': '# Appointment\n\nTuesday at nine.\n', 'b.md': '# Other\n' };

test.each(DIALECTS)(
  'a run of %s reads the own files, whichever scenario it is of, and not while they are withheld',
  async (spoken) => {
    dialect = spoken;
    await add(NOTES);
    const { open, offer } = shelf();
    const [scenario] = (await open('files'))?.filter((each) => each.dialect === dialect) ?? [];
    if (scenario === undefined) return expect.unreachable();
    expect(offer(scenario)?.toSorted()).toEqual([
      ...(dialect === 'catalytic' ? ['content.read'] : []),
      'myfiles.read',
      'myfiles.search',
    ]);
    expect(offer(HOME) ?? names).toContain('myfiles.read');
    const result = async (offered = offer(scenario)): Promise<object> => {
      const limits = { steps: 4 };
      const run = runtime.start({
        dialect,
        task: 'When is my appointment?',
        model: reader(dialect),
        limits,
        ...(offered && { offer: offered }),
      });
      return run.result;
    };
    expect(await result()).toMatchObject({ state: 'completed', message: 'Tuesday at nine.' });
    expect(await result(offer({ ...HOME, dialect }))).toMatchObject({
      state: 'completed',
      message: 'Tuesday at nine.',
    });
    await ownFiles.allow(false);
    expect(ownFiles.allowed.value).toBe(false);
    expect(await result()).not.toMatchObject({ state: 'completed' });
    await ownFiles.allow(true);
    expect(ownFiles.allowed.value).toBe(true);
    expect(await result()).toMatchObject({ state: 'completed' });
  },
);

test('the capabilities are offered with the first own file, and the papers of the demo are none', async () => {
  await ownFiles.begin();
  await add(CORPUS);
  expect([ownFiles.count.value, names.includes('myfiles.read')]).toEqual([0, false]);
  await add(NOTES);
  expect([ownFiles.count.value, names.includes('myfiles.read'), ownFiles.allowed.value]).toEqual([2, true, true]);
  // the panel has read the content, and the files are gone
  await runtime.content.remove(Object.keys(NOTES));
  overview.value = await runtime.content.overview();
  await expect.poll(() => ownFiles.count.value).toBe(0);
});

test('an own file with the path of a paper is an own file', async () => {
  await add(CORPUS);
  const [path = ''] = Object.keys(CORPUS);
  await runtime.content.remove([path]);
  await add({ [path]: '# My own oven\n' });
  expect([ownFiles.count.value, ownFiles.allowed.value]).toEqual([1, true]);
  await ownFiles.allow(false);
  expect(ownFiles.withheld.value).toBe(true);
});

test('a definition of a stranger under one of the names gets no grant with the files', async () => {
  const definition = filesIn('xct').capabilities.find(({ name }) => name === 'myfiles.search');
  if (definition === undefined) return expect.unreachable();
  await runtime.capabilities.register({ ...definition, source: 'export default () => ({});' });
  await add(NOTES);
  expect(grants.value.map(({ capability }) => capability)).not.toContain('myfiles.search');
  await ownFiles.allow(true);
  expect(grants.value.map(({ capability }) => capability)).not.toContain('myfiles.search');
});

test('files that come withdraw no denial of the person, and their switch does', async () => {
  await runtime.grants.grant({ capability: 'content.read', mode: 'deny' });
  await add(NOTES);
  const denied = (): boolean =>
    grants.value.some(({ capability, mode }) => capability === 'content.read' && mode === 'deny');
  expect([denied(), ownFiles.allowed.value]).toEqual([true, false]);
  await ownFiles.allow(true);
  expect([denied(), ownFiles.allowed.value]).toEqual([false, true]);
});

test('files that come give a revoked grant not again, and their switch does', async () => {
  const given = grants.value.find(({ capability }) => capability === 'content.read');
  await runtime.grants.revoke(given?.id ?? '');
  await add(NOTES);
  const mayRead = (): boolean => grants.value.some(({ capability }) => capability === 'content.read');
  expect([mayRead(), ownFiles.allowed.value, ownFiles.revoked.value]).toEqual([false, false, true]);
  await ownFiles.allow(true);
  expect([mayRead(), ownFiles.allowed.value, ownFiles.revoked.value]).toEqual([true, true, false]);
  await ownFiles.allow(false);
  expect([ownFiles.withheld.value, ownFiles.revoked.value]).toEqual([true, false]);
});

test('files that another tab withholds are withheld here, and what is left of the grants is told', async () => {
  await add(NOTES);
  const search = grants.value.find(({ capability }) => capability === 'myfiles.search');
  await runtime.grants.revoke(search?.id ?? '');
  await ownFiles.begin();
  grants.value = await runtime.grants.list();
  expect([ownFiles.allowed.value, ownFiles.withheld.value]).toEqual([false, false]);
  onStorage({ key: 'sallyport.myfiles', newValue: 'off' });
  await expect.poll(() => ownFiles.withheld.value).toBe(true);
});

test('files of any name get a symbol each', async () => {
  dialect = 'catalytic';
  const paths = ['é', 'ê', '-', '.x', '__proto__', 'constructor', `${'l'.repeat(200)}/a`, `${'m'.repeat(200)}/a`];
  await add(Object.fromEntries(paths.map((each) => [each, ''])));
  expect(ownFiles.count.value).toBe(paths.length);
  const rows = await runtime.content.symbols();
  expect(rows.map(({ target_ref }) => target_ref).toSorted()).toEqual(paths.toSorted());
});

test('a symbol of the person for a section stays', async () => {
  dialect = 'catalytic';
  await add(NOTES);
  const [section] = await runtime.content.sections('b.md');
  await runtime.content.define({
    symbol_id: '@MYFILES/mine',
    target_type: 'SECTION',
    target_ref: section?.section_id ?? '',
    default_slice_policy: 'head(5)',
  });
  await ownFiles.name();
  expect((await runtime.content.symbols()).map(({ symbol_id }) => symbol_id)).toContain('@MYFILES/mine');
});

test('files that were withheld on this device are, whoever has defined the capabilities', async () => {
  vi.stubGlobal('localStorage', { getItem: () => 'off', setItem: () => undefined });
  for (const each of filesIn('xct').capabilities) await runtime.capabilities.register(each);
  await add(NOTES);
  vi.unstubAllGlobals();
  expect(grants.value.map(({ capability }) => capability)).not.toContain('content.read');
});
