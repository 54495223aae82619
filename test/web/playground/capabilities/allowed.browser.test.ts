import { signal } from '@preact/signals-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Allowed, AllowedRow, Grant } from '../../../../core/index.ts';
import { defineTool, openRuntime } from '../../../../web/index.ts';
import '../../../../web/playground/capabilities/allowed.ts';
import { openCatalogue } from '../../../../web/playground/capabilities/catalogue.ts';
import type { View } from '../../../../web/playground/parts/view.ts';
import { readRun } from '../../../../web/playground/run/session.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { spoken } from '../../texts/spoken.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const mails = defineTool({ ...common, name: 'mail.search', effect: 'read', args: {}, run: () => ['Lunch'] });
const file = defineTool({ ...common, name: 'file.put', effect: 'write', labels: [], args: TEXT, run: () => 'ok' });

let runtime: Runtime;
let run: string;
beforeAll(async () => {
  runtime = await openRuntime({
    store: 'memory',
    tools: [mails, file],
    grants: [
      { capability: 'mail.search', mode: 'allow' },
      { capability: 'file.put', mode: 'allow', accepts: { '/text': ['private', 'untrusted'] } },
    ],
    hold: 'untrusted',
  });
  const session = runtime.openSession();
  await session.call('mail.search', {});
  await session.call('file.put', { text: { $held: 'h1', at: '/0' } });
  await session.close();
  run = session.run.id;
});
afterEach(() => document.body.replaceChildren());
afterAll(() => runtime.close());

const nothing = async () => undefined;

/** The list over a runtime, in a page that can open runs. */
function shown(of: Runtime = runtime) {
  const own = { all: async () => [], put: nothing, remove: nothing, removeAll: nothing };
  const catalogue = openCatalogue({
    runtime: of,
    own,
    onChange: () => undefined,
    onAddition: () => undefined,
    tell: () => undefined,
  });
  const session = signal<Awaited<ReturnType<typeof readRun>>>(undefined);
  const seq = signal<number | undefined>(undefined);
  const store = {
    runtime: of,
    catalogue,
    session,
    view: signal('capabilities'),
    column: signal('inspector'),
    place: { part: signal('allowed'), capability: signal(undefined) },
    selection: { select: (at: number) => void (seq.value = at) },
    openRun: async (id: string) => void (session.value = await readRun(of, id)),
  };
  const view = document.createElement('sp-allowed') as View;
  view.store = store as never;
  document.body.append(view);
  const root = (): ShadowRoot => view.shadowRoot as ShadowRoot;
  const text = (selector = 'article'): string =>
    (root().querySelector(selector)?.textContent ?? '').replace(/\s+/gu, ' ').trim();
  const press = (words: string): void => {
    const fits = ({ textContent, ariaLabel }: Element) => [textContent?.trim(), ariaLabel].includes(words);
    const found = [...root().querySelectorAll('button')].find(fits);
    if (found === undefined) throw new Error(`There is no button ${words}.`);
    found.focus();
    found.click();
  };
  return { store, seq, root, text, press };
}

/** The runtime with another answer. */
const answering = (allowed: () => Promise<Allowed>): Runtime =>
  ({ ...runtime, grants: { ...runtime.grants, allowed } }) as Runtime;

const GRANT = {
  id: 'a'.repeat(64),
  capability: 'mail.search',
  capability_hash: 'b'.repeat(64),
  mode: 'allow',
} as const satisfies Grant;
const row = (more: Partial<AllowedRow>): AllowedRow => ({
  by: 'program',
  names: ['mail.search'],
  grants: [GRANT],
  id: 'a'.repeat(64),
  uses: 0,
  runs: [],
  runCount: 0,
  ...more,
});

test('a person sees each permission with its uses, opens a run, takes a grant back, and gives it again', async () => {
  const { store, root, text, press } = shown();
  await expect.poll(() => root().querySelectorAll('ul:not(#sources ul) > li').length).toBe(2);
  expect(text('li:nth-child(2)')).toMatch(
    /^mail\.search allowed Given by this page, or by you on it Used once in one run, last on .+\. The run that used it/u,
  );
  expect(text('li:nth-child(1)')).toContain('· held values at /text');
  expect(text()).toMatch(/Uses are counted since \w+ \d+, 20\d\d/u);

  press(`Open run ${run.slice(0, 8)}`);
  await expect.poll(() => [store.view.value, store.session.value?.id]).toEqual(['run', run]);
  press('mail.search');
  expect([store.place.part.value, store.place.capability.value]).toEqual(['catalogue', 'mail.search']);

  const before = await runtime.grants.list();
  press('Take back: file.put');
  await expect.poll(() => text('[role=status].good')).toBe('Taken back. Calls are refused from now on.');
  expect((await runtime.grants.list()).map(({ capability }) => capability)).toEqual(['mail.search']);
  await expect.poll(() => root().activeElement?.ariaLabel).toBe('Take back: mail.search');
  press('Give file.put its grant again');
  await expect.poll(() => text()).toContain('Given again.');
  await expect.poll(() => text('li:nth-child(1)')).toContain('file.put');
  const ids = (await runtime.grants.list()).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(before.map(({ id }) => id).toSorted());
});

test('a person is asked before a source that was handed held values is cleared', async () => {
  const { root, text, press } = shown();
  await expect.poll(() => text('#sources li')).toMatch(/^program ?private ?untrusted Clear…$/u);
  press('Clear…: program');
  await expect.poll(() => text('#sources button')).toBe('Clear it for good');
  expect(await runtime.held.sources()).toHaveLength(1);
  press('Clear it for good: program');
  await expect.poll(() => root().querySelector('#sources')).toBeNull();
  expect(text('[role=status].good')).toMatch(/^Cleared\. Runs from now on know nothing/u);
  expect(await runtime.held.sources()).toEqual([]);
});

test('the list says why it cannot be read, and is read again', async () => {
  let broken = true;
  let go = (): void => undefined;
  const asked = new Promise<void>((resolve) => (go = resolve));
  const allowed = async (): Promise<Allowed> => {
    await asked;
    if (broken) throw new Error('the store is away');
    return { rows: [], sources: [] };
  };
  const { text, press } = shown(answering(allowed));
  await expect.poll(() => text()).toContain('Reading the decisions of this device…');
  go();
  await expect.poll(() => text('[role=alert]')).toBe('The list could not be read: the store is away');
  broken = false;
  press('Try again');
  await expect.poll(() => text('.none')).toBe('Nothing is permitted. Every call is denied.');
  expect(text()).toContain('no uses to count');
});

test('each reason is told in German, with its question, and what was long unused is marked', async () => {
  spoken('de');
  const watched = ['a.one', 'a.two', 'a.three', 'a\u202e.four'];
  const question = { run_id: run, step: 2, digest: 'c'.repeat(64) };
  const rows = [
    row({ by: 'watch', names: watched }),
    row({ by: 'configuration', isUnused: true }),
    row({ by: 'always', question }),
    row({ by: 'answer', question, grants: [{ ...GRANT, parent: 'd'.repeat(64), run }] }),
  ];
  const { store, seq, root, text, press } = shown(
    answering(async () => ({ rows, sources: [], since: 0, isCut: true })),
  );
  await expect.poll(() => root().querySelectorAll('li').length).toBe(4);
  expect(text('li:nth-child(1)')).toMatch(/a\.one a\.two a\.three und 1 weitere erlaubt Eine Beobachtung/u);
  expect(text('li:nth-child(1) details')).toContain('a\\u202e.four');
  expect(text('li:nth-child(2) .badge')).toBe('30 Tage nicht gebraucht');
  expect(text('li:nth-child(3)')).toContain(
    `Sie haben „Immer“ gesagt: die Frage in Schritt 2 von Lauf ${run.slice(0, 8)}`,
  );
  expect(text('li:nth-child(4)')).toContain('Ihre Antwort, bis ihr Lauf endet: die Frage in Schritt 2');
  expect(text()).toMatch(/über die neuesten 100\.000 Entscheidungen\. 1 Erlaubnis wurde 30 Tage lang nicht gebraucht/u);
  press(`die Frage in Schritt 2 von Lauf ${run.slice(0, 8)}`);
  await expect.poll(() => store.view.value).toBe('run');
  const at = store.session.value?.records.value.find(({ run_seq }) => run_seq === seq.value);
  expect(at?.body).toMatchObject({ step: 2 });
});
