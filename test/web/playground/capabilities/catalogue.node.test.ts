import { expect, test, vi } from 'vitest';
import { openCatalogue } from '../../../../web/playground/capabilities/catalogue.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const greeting = (version: string): CapabilityDefinition => ({
  ...{ name: 'my.greeting', version, description: 'Greets.', effect: 'pure' },
  args: { type: 'object', properties: { name: { type: 'string' } } },
  source: 'export default ({ name }) => name;',
});

test('a standing answer of a run under way is shown apart, and is not granted again with its definition', async () => {
  vi.stubGlobal('reportError', (error: unknown) => expect.unreachable(String(error)));
  const runtime = await openRuntime();
  const catalogue = openCatalogue(runtime, () => undefined);
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
  const catalogue = openCatalogue(runtime, () => undefined);
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
