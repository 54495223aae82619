import { expect, test, vi } from 'vitest';
import { openCatalogue } from '../../../../web/playground/capabilities/catalogue.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const greeting = (version: string): CapabilityDefinition => ({
  ...{ name: 'my.greeting', version, description: 'Greets.', effect: 'pure' },
  args: { type: 'object', properties: { name: { type: 'string' } } },
  source: 'export default ({ name }) => name;',
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
