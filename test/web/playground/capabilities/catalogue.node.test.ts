import { expect, test, vi } from 'vitest';
import { openCatalogue } from '../../../../web/playground/capabilities/catalogue.ts';
import type { OwnCapabilities } from '../../../../web/playground/capabilities/own-capabilities.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const greeting = (version: string): CapabilityDefinition => ({
  ...{ name: 'my.greeting', version, description: 'Greets.', effect: 'pure' },
  args: { type: 'object', properties: { name: { type: 'string' } } },
  source: 'export default ({ name }) => name;',
});

/** Stored definitions, and a count of their writes. */
function shelf(rows = new Map<string, CapabilityDefinition>(), isFull = false): OwnCapabilities & { writes: number } {
  const kept = {
    writes: 0,
    all: async () => [...rows.values()],
    put: async (definition: CapabilityDefinition) => {
      if (isFull) throw new DOMException('No room.', 'QuotaExceededError');
      kept.writes += 1;
      rows.set(definition.name, definition);
    },
    remove: async (name: string) => {
      kept.writes += 1;
      rows.delete(name);
    },
    removeAll: async () => rows.clear(),
  };
  return kept;
}

const named = (name: string): CapabilityDefinition => ({ ...greeting('1.0.0'), name });

test('stored definitions are registered at the start and not written, and one that does not load stays', async () => {
  vi.stubGlobal('reportError', () => undefined);
  const broken = { ...named('my.broken'), source: 'export default (' };
  const own = shelf(new Map([named('my.one'), broken, named('my.two')].map((each) => [each.name, each])));
  const told: string[] = [];
  let changes = 0;
  await using runtime = await openRuntime();
  const catalogue = openCatalogue({
    runtime,
    own,
    onChange: () => changes++,
    onAddition: () => undefined,
    tell: (text) => told.push(text),
  });
  await vi.waitUntil(() => told.length > 0, 20_000);
  expect([...catalogue.added.value.keys()]).toEqual(['my.one', 'my.two']);
  expect(told[0]).toContain('my.broken');
  await catalogue.grant({ capability: 'my.one', mode: 'ask' });
  expect(own.writes).toBe(0);
  await catalogue.remove('my.one');
  expect((await own.all()).map(({ name }) => name)).toEqual(['my.broken', 'my.two']);
  expect([own.writes, changes]).toEqual([1, 2]);
});

test('the person is told of a definition that does not fit', async () => {
  await using runtime = await openRuntime();
  const told: string[] = [];
  const own = shelf(new Map(), true);
  const catalogue = openCatalogue({
    runtime,
    own,
    onChange: () => undefined,
    onAddition: () => undefined,
    tell: (text) => told.push(text),
  });
  await catalogue.add(named('my.large'));
  expect(catalogue.added.value.has('my.large')).toBe(true);
  expect(told[0]).toContain('could not be stored');
});

test('a standing answer of a run under way is shown apart, and is not granted again with its definition', async () => {
  vi.stubGlobal('reportError', (error: unknown) => expect.unreachable(String(error)));
  const runtime = await openRuntime();
  const catalogue = openCatalogue({
    runtime,
    own: shelf(),
    onChange: () => undefined,
    onAddition: () => undefined,
    tell: expect.unreachable,
  });
  await catalogue.add(greeting('1.0.0'));
  await catalogue.grant({ capability: 'my.greeting', mode: 'ask' });
  const session = runtime.openSession({ approve: async () => ({ approved: true, standing: { args: 'any' } }) });
  await session.call('my.greeting', { name: 'A' });
  await catalogue.refresh();
  expect(catalogue.grants.value.map(({ mode }) => mode)).toEqual(['ask']);
  expect(catalogue.standing.value).toMatchObject([{ mode: 'allow', parent: catalogue.grants.value[0]?.id }]);
  await catalogue.add(greeting('1.0.1'));
  await catalogue.bringBack('my.greeting');
  expect(catalogue.grants.value.map(({ mode }) => mode)).toEqual(['ask']);
  expect(catalogue.standing.value).toEqual([]);
  await runtime.close();
});

test('a definition that was replaced comes back with its grants', async () => {
  vi.stubGlobal('reportError', (error: unknown) => expect.unreachable(String(error)));
  const runtime = await openRuntime();
  const catalogue = openCatalogue({
    runtime,
    own: shelf(),
    onChange: () => undefined,
    onAddition: () => undefined,
    tell: expect.unreachable,
  });
  const state = () => [
    catalogue.added.value.get('my.greeting')?.version,
    catalogue.rows.value?.find(({ name }) => name === 'my.greeting')?.enabled,
    catalogue.grants.value.map(({ mode, uses }) => [mode, uses]),
  ];
  await catalogue.add(greeting('1.0.0'));
  expect(catalogue.replaced.value.size).toBe(0);
  await catalogue.grant({ capability: 'my.greeting', mode: 'ask', uses: 3 });
  await catalogue.grant({ capability: 'my.greeting', mode: 'allow' });
  const before = state();
  await catalogue.add(greeting('1.0.1'));
  expect(state()).toEqual(['1.0.1', false, []]);
  await catalogue.bringBack('my.greeting');
  expect(state()).toEqual(before);
  // The definition that gave way can be brought back in its turn.
  expect(catalogue.replaced.value.get('my.greeting')?.definition.version).toBe('1.0.1');
  await runtime.close();
});
