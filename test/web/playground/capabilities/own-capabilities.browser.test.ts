import { afterEach, expect, test } from 'vitest';
import { ownCapabilities } from '../../../../web/playground/capabilities/own-capabilities.ts';

afterEach(() => ownCapabilities().removeAll());

const named = (name: string, version = '1.0.0') =>
  ({ name, version, description: 'd', effect: 'pure', args: {}, source: 'export default () => 1' }) as const;

test('two tabs that each add a definition lose none, and a change of one leaves the others', async () => {
  const [one, other] = [ownCapabilities(), ownCapabilities()];
  await Promise.all([one.put(named('my.a')), other.put(named('my.b')), one.put(named('my.c'))]);
  await Promise.all([other.put(named('my.a', '1.0.1')), one.remove('my.c')]);
  expect(await one.all()).toEqual([named('my.a', '1.0.1'), named('my.b')]);
});
