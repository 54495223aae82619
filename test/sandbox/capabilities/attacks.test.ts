import { describe, expect, test } from 'vitest';
import { decode } from '../../../core/json/decode.ts';
import { parse } from '../../../core/protocol/parse.ts';
import { ATTACKS } from '../../../web/playground/breakout/attacks.ts';
import { bakery } from '../../../web/playground/demo/scenario.ts';
import { validator } from './ajv.ts';
import { CAPABILITIES } from './guest.ts';

const { grants } = bakery('xct');

/**
 * The gate that stops a text: the real decoder and parser, then the registry, the schemas and the grants of the demo.
 */
function stoppedBy(text: string): unknown {
  const value = decode(new TextEncoder().encode(text));
  const proposal = value.ok ? parse('xct', value.value) : value;
  if (!proposal.ok) return { step: proposal.refusal.step, code: proposal.refusal.code };
  if (proposal.value.kind !== 'call') return 'not a call';
  const { name, args } = proposal.value;
  const known = CAPABILITIES.find((one) => one.name === name);
  if (known === undefined) return { step: 'capability', code: 'unknown_capability' };
  if (!validator(known.args)(args)) return { step: 'arguments', code: 'arguments_schema' };
  return grants.some((grant) => grant.capability === name) ? 'not stopped' : { step: 'authorize', code: 'no_grant' };
}

describe('the attacks', () => {
  test.each(ATTACKS.map((one) => [one.title, one] as const))(
    'the attack "%s" stops at the gate that it names',
    (_, { text, stops }) => {
      expect(stoppedBy(text)).toEqual(stops);
    },
  );

  test('a plain proposal passes every gate that stops an attack', () => {
    const plain = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"1 + 1"},"goal":"Add"}}';
    expect(stoppedBy(plain)).toBe('not stopped');
  });

  test('the attacks cover every gate at which bytes can be stopped before a call', () => {
    const gates = new Set(ATTACKS.map(({ stops }) => stops.step));
    expect(gates).toEqual(new Set(['parse', 'structure', 'form', 'capability', 'arguments', 'authorize']));
  });

  test('each attack has its own title and a caption of one line', () => {
    expect(new Set(ATTACKS.map(({ title }) => title)).size).toBe(ATTACKS.length);
    for (const { caption } of ATTACKS) expect(caption).toMatch(/^[^\n]{40,130}$/);
  });
});
