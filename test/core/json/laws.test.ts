import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, DECODE_LIMITS, decode, encodeText, type JsonValue, type Outcome } from '../../../core/index.ts';
import { caseCount } from '../../cases.ts';
import { firstFault } from './grammar.ts';
import { anyBytes, anyText, json } from './texts.ts';

const RUNS = { numRuns: caseCount(2_000) };
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Value of the platform for the bytes, with `0` for `-0`; undefined when the platform refuses them. */
function platform(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(strictUtf8.decode(bytes), (_, value: unknown) => (value === 0 ? 0 : value)) as unknown };
  } catch {
    return undefined;
  }
}

const text = (source: string): Outcome<JsonValue> => decode(encodeText(source));
const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'accepted' : outcome.refusal.code);

describe('decode of arbitrary bytes', () => {
  test('decode never throws for arbitrary bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => typeof decode(bytes).ok === 'boolean'),
      RUNS,
    );
  });

  test('decode accepts only bytes that the platform accepts, and yields the same value', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const decoded = decode(bytes);
        if (decoded.ok) expect({ value: decoded.value }).toStrictEqual(platform(bytes));
      }),
      RUNS,
    );
  });

  test('decode refuses with json_syntax exactly the texts that the platform refuses, after the limits', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const code = codeOf(text(source));
        if (code === 'bom' || code.startsWith('limit_')) return;
        expect(code === 'json_syntax').toBe(platform(encodeText(source)) === undefined);
      }),
      RUNS,
    );
  });

  test('decode gives the same outcome twice and leaves the bytes unchanged', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const before = Uint8Array.from(bytes);
        const [once, again] = [decode(bytes), decode(bytes)];
        expect(once).toStrictEqual(again);
        expect(bytes).toStrictEqual(before);
      }),
    );
  });

  test('decode writes each refusal in well-formed Unicode, so that it can be recorded', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const decoded = decode(bytes);
        if (decoded.ok) return;
        const { message, pointer = '', details } = decoded.refusal;
        const said = [message, pointer, ...Object.values(details)].filter((one) => typeof one === 'string');
        expect(said.every((one) => one.isWellFormed())).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('a syntax fault', () => {
  test('a syntax fault stands where the text stops being the beginning of JSON', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const decoded = text(source);
        if (codeOf(decoded) !== 'json_syntax' || decoded.ok) return;
        expect({ source, offset: decoded.refusal.details['offset'] }).toEqual({ source, offset: firstFault(source) });
      }),
      RUNS,
    );
  });

  test('a syntax fault has the line and the column that an editor shows', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const decoded = text(source);
        if (codeOf(decoded) !== 'json_syntax' || decoded.ok) return;
        const { offset, line, column } = decoded.refusal.details as { offset: number; line: number; column: number };
        const lines = source.split('\n');
        const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
        expect(before + column - 1).toBe(offset);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
      }),
      RUNS,
    );
  });

  test.each([
    ['', 0],
    ['{', 1],
    ['tru', 3],
    ['trux', 3],
    ['nulll', 4],
    ['[1.]', 3],
    ['[1e+]', 4],
    ['[-]', 2],
    ['[01]', 2],
    ['"\\x"', 2],
    ['"\\u12G4"', 5],
    ['"\\u12"', 5],
    ['"a\nb"', 2],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['1 1', 2],
  ])('the syntax fault in %j is at offset %i', (source, offset) => {
    expect(firstFault(source)).toBe(offset);
    expect(text(source)).toMatchObject({ ok: false, refusal: { code: 'json_syntax', details: { offset } } });
  });
});

/** A JSON text with a member repeated at some place, in a spelling of its own, and the pointer to it. */
interface Node {
  readonly source: string;
  readonly pointer: string;
}
const escaped = (name: string) =>
  Array.from({ length: name.length }, (_, at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const token = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
const memberName = fc.oneof(
  fc.constantFrom('a', '', '__proto__', 'constructor', 'a/b', 'm~n', '0', 'é'),
  fc.string({ unit: 'binary' }).filter((name) => name.isWellFormed()),
);
const repeated: fc.Arbitrary<Node> = fc
  .tuple(memberName, fc.boolean(), fc.boolean(), json, json)
  .map(([name, first, second, left, right]) => {
    const spell = (as: boolean) => (as ? `"${escaped(name)}"` : JSON.stringify(name));
    return {
      source: `{"other name":0,${spell(first)}:${left},"third name":[],${spell(second)} : ${right}}`,
      pointer: `/${token(name)}`,
    };
  });
const wrapped = fc
  .tuple(repeated, fc.array(fc.oneof(memberName, fc.nat({ max: 3 })), { maxLength: 6 }))
  .map(([inner, path]) =>
    path.reduce<Node>(
      ({ source, pointer }, step) =>
        typeof step === 'number'
          ? { source: `[${'0,'.repeat(step)}${source}]`, pointer: `/${step}${pointer}` }
          : { source: `{${JSON.stringify(step)}:${source}}`, pointer: `/${token(step)}${pointer}` },
      inner,
    ),
  );

describe('a repeated member', () => {
  test('a repeated member is refused at any depth, in any spelling, and the refusal points at it', () => {
    fc.assert(
      fc.property(wrapped, ({ source, pointer }) => {
        expect(text(source)).toMatchObject({
          ok: false,
          refusal: { code: 'duplicate_member', class: 'protocol_ambiguity', pointer },
        });
      }),
      RUNS,
    );
  });
});

const lone = fc.constantFrom('\\ud800', '\\uDBFF', '\\udc00', '\\uDFFF', '\\ude00\\ud83d', '\\ud83d\\u0041');

test('a member repeated below an ill-formed name is refused with a well-formed pointer', () => {
  expect(text('{"\\ud800":{"a":1,"a":2}}')).toMatchObject({
    refusal: { code: 'duplicate_member', pointer: '/\ufffd/a' },
  });
});

describe('a lone surrogate', () => {
  test('a lone surrogate is refused in any value, and the refusal points at it', () => {
    fc.assert(
      fc.property(fc.array(memberName, { maxLength: 4 }), lone, (path, half) => {
        const source = path.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, `["é","x${half}"]`);
        const pointer = `${path.map((name) => `/${token(name)}`).join('')}/1`;
        expect(text(source)).toMatchObject({
          ok: false,
          refusal: { code: 'lone_surrogate', class: 'invalid_json', pointer },
        });
      }),
    );
  });
});

describe('a number', () => {
  test('an integer is accepted exactly when a double holds it, or the canonical text of its nearest double has its value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (integer) => {
        const near = Number(integer);
        const survives = BigInt(near) === integer || exactly(String(near)) === integer;
        expect(codeOf(text(`[${integer}]`))).toBe(survives ? 'accepted' : 'number_precision');
      }),
      RUNS,
    );
  });

  test('a number comes back from its own canonical text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const source = Object.is(value, -0) ? '-0' : String(value);
        expect(text(`[${source}]`)).toStrictEqual({ ok: true, value: [value === 0 ? 0 : value] });
      }),
      RUNS,
    );
  });

  test('a decoded value is decoded to itself from its canonical text', () => {
    const spelled = fc
      .tuple(fc.bigInt({ min: -(2n ** 72n), max: 2n ** 72n }), fc.integer({ min: -330, max: 310 }))
      .map(([digits, power]) => `${digits}e${power}`);
    fc.assert(
      fc.property(fc.oneof(spelled, fc.bigInt().map(String), fc.double({ noNaN: true }).map(String)), (source) => {
        const decoded = text(`[${source}]`);
        if (!decoded.ok) return;
        const written = canonicalize(decoded.value);
        expect(written.ok && text(written.value)).toStrictEqual(decoded);
      }),
      RUNS,
    );
  });

  test.each([
    '9007199254740993e0',
    '9007199254740993',
    '9007199254740993.0',
    '12345678901234567.0',
    '123456789012345678e1',
    '100000000000000000000001',
  ])('a number is refused as %s: an integer that its double does not give back', (source) =>
    expect(codeOf(text(`[${source}]`))).toBe('number_precision'),
  );

  test.each([
    '1e23',
    '100000000000000000000000',
    '1.0e23',
    '-10e22',
    '6.02214076e23',
    '1.7976931348623157e308',
    '1152921504606846976',
    '1152921504606847000',
  ])('a number is accepted as %s: the canonical text of its double has the same value', (source) =>
    expect(text(`[${source}]`)).toStrictEqual({ ok: true, value: [Number(source)] }),
  );

  test.each(['1e22', '1.0e22', '9007199254740993.5', '3.00000000000000000000001', '5e-324', '0e999999999', '0.0e-999'])(
    'a number is accepted as %s, with the value of the nearest double',
    (source) => expect(text(`[${source}]`)).toStrictEqual({ ok: true, value: [Number(source)] }),
  );

  test.each(['1e-400', '-1e-400', '0.1e-330', `0.${'0'.repeat(400)}1`])(
    'a number is refused as %s: it is not zero and would become zero',
    (source) => expect(codeOf(text(`[${source}]`))).toBe('number_precision'),
  );

  test.each(['-0', '-0.0', '-0e5', '{"__proto__":-0}', '{"a":{"b":[1,-0.00]}}'])('the number of %s is 0', (source) => {
    const decoded = text(source);
    expect(decoded).toStrictEqual({ ok: true, value: JSON.parse(source.replace('-0', '0')) as unknown });
  });

  test('a number that overflows is refused in every spelling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 310, max: 100_000 }),
        fc.constantFrom('1e', '-1.5E+', '0.1e', '12e'),
        (power, mantissa) => {
          expect(text(`{"n":${mantissa}${power}}`)).toMatchObject({
            refusal: { code: 'number_precision', pointer: '/n' },
          });
        },
      ),
    );
  });
});

describe('limits', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  test.each([1, 2, 3, 64, 200])('decode accepts %i levels and refuses a level more', (depth) => {
    const limits = { ...DECODE_LIMITS, depth };
    expect(codeOf(decode(encodeText(nested(depth)), limits))).toBe('accepted');
    expect(decode(encodeText(nested(depth + 1)), limits)).toMatchObject({
      refusal: { code: 'limit_depth', details: { limit: depth, used: depth + 1 } },
    });
  });

  test('decode counts every value of any shape against the limit of nodes', () => {
    fc.assert(
      fc.property(json, (source) => {
        const nodes = count(JSON.parse(source));
        expect(codeOf(decode(encodeText(source), { ...DECODE_LIMITS, nodes }))).toBe(codeOf(text(source)));
        expect(decode(encodeText(source), { ...DECODE_LIMITS, nodes: nodes - 1 })).toMatchObject({
          refusal: { code: 'limit_nodes', details: { limit: nodes - 1, used: nodes } },
        });
      }),
    );
  });

  test('decode counts bytes before it reads a byte', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        fc.pre(bytes.length > 0);
        expect(decode(bytes, { ...DECODE_LIMITS, bytes: bytes.length - 1 })).toMatchObject({
          refusal: { code: 'limit_size', details: { limit: bytes.length - 1, used: bytes.length } },
        });
      }),
    );
  });
});

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + count(item), 1);
}

/** Exact value of an integer as JavaScript writes it. */
function exactly(source: string): bigint {
  const [mantissa = '', exponent = '0'] = source.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}
