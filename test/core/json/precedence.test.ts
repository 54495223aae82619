import { describe, expect, test } from 'vitest';
import { decode, encodeText, type Outcome } from '../../../core/index.ts';

const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'accepted' : outcome.refusal.code);

/** Each fault spoils a text in a single way; the order is the order of precedence that `decode` documents. */
const FAULTS: readonly { readonly code: string; readonly bytes: (inner: Uint8Array) => Uint8Array }[] = [
  { code: 'limit_size', bytes: (inner) => around(inner, '', ' '.repeat(2_000)) },
  { code: 'utf8', bytes: (inner) => Uint8Array.from([...inner, 0xff]) },
  { code: 'bom', bytes: (inner) => Uint8Array.from([0xef, 0xbb, 0xbf, ...inner]) },
  { code: 'limit_depth', bytes: (inner) => around(inner, '['.repeat(30), ']'.repeat(30)) },
  { code: 'limit_nodes', bytes: (inner) => around(inner, '[', `${',0'.repeat(50)}]`) },
  { code: 'json_syntax', bytes: (inner) => around(inner, '[', ',]') },
  { code: 'duplicate_member', bytes: (inner) => around(inner, '{"a":', ',"a":0}') },
  { code: 'lone_surrogate', bytes: (inner) => around(inner, '[', ',"\\ud800"]') },
  { code: 'number_precision', bytes: (inner) => around(inner, '[', ',1e999]') },
];
const around = (inner: Uint8Array, before: string, after: string) =>
  Uint8Array.from([...encodeText(before), ...inner, ...encodeText(after)]);

describe('a limit', () => {
  const deep = (levels: number) => encodeText('['.repeat(levels) + ']'.repeat(levels));

  test('a limit that is left out has its default value', () => {
    expect(codeOf(decode(deep(65), { bytes: 1_000 }))).toBe('limit_depth');
    expect(codeOf(decode(new Uint8Array((1 << 20) + 1), { depth: 3 }))).toBe('limit_size');
    expect(codeOf(decode(encodeText(`[${'0,'.repeat(100_000)}0]`), { depth: 3 }))).toBe('limit_nodes');
  });

  test.each(['bytes', 'depth', 'nodes'])('a limit of %s that is not a number refuses every text', (name) => {
    expect(codeOf(decode(encodeText('[0]'), { [name]: Number.NaN }))).toMatch(/^limit_/);
  });

  test('a limit of depth is at most a thousand levels, even when Infinity is allowed', () => {
    expect(codeOf(decode(deep(1_000), { depth: Infinity }))).toBe('accepted');
    expect(codeOf(decode(deep(400_000), { depth: Infinity }))).toBe('limit_depth');
  });
});

describe('precedence of faults:', () => {
  const limits = { bytes: 1_000, depth: 20, nodes: 40 };
  const pairs = FAULTS.flatMap((one, at) => FAULTS.slice(at + 1).map((other) => [one, other] as const));

  test.each(FAULTS.map((fault) => [fault.code, fault] as const))(
    'decode reports the single fault %s',
    (code, fault) => {
      expect(codeOf(decode(fault.bytes(encodeText('0')), limits))).toBe(code);
    },
  );

  test.each(pairs.map(([one, other]) => [one.code, other.code, one, other] as const))(
    'decode reports %s before %s',
    (code, _other, one, other) => {
      const start = encodeText('0');
      expect(codeOf(decode(one.bytes(other.bytes(start)), limits))).toBe(code);
      // In the other order the byte order mark is inside the text, where it is a syntax fault.
      if (code !== 'bom') expect(codeOf(decode(other.bytes(one.bytes(start)), limits))).toBe(code);
    },
  );
});
