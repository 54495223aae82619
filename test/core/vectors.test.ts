import { describe, expect, test } from 'vitest';
import { define } from '../../core/capability/define.ts';
import { makeRegistry } from '../../core/capability/registry.ts';
import { CODES } from '../../core/errors.ts';
import { applySlice, buildIndex } from '../../core/index.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import type { JsonObject, JsonValue } from '../../core/json/value.ts';
import type { DecodeLimits } from '../../core/limits.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import type { Verdict } from '../../core/protocol/verdict.ts';
import { bodies, told } from './run/outside.ts';
import { play, type RunInput } from './script.ts';
import { core, must, type Subject } from './validator.ts';
import { bytesOf, definitions, type Part, type Vector, vectors } from './vectors.ts';

/** Every runtime that claims to validate runs the same vectors. */
const SUBJECTS: { readonly [name: string]: Subject } = { core };

interface ValidatorInput {
  readonly dialect: Dialect;
  readonly registry: string;
  readonly limits?: Partial<DecodeLimits>;
  readonly bytes: Part;
}

const validatorVectors = vectors().filter(({ input }) => Object.hasOwn(input, 'bytes'));

async function verdictOf(subject: Subject, { input }: Vector): Promise<Verdict> {
  const { dialect, registry, limits, bytes } = input as unknown as ValidatorInput;
  const validator = await subject({ dialect, capabilities: definitions(registry), ...(limits && { limits }) });
  return validator.validate(bytesOf(bytes));
}

describe.each(Object.entries(SUBJECTS))('vectors of the validator, %s:', (_name, subject) => {
  test.each(validatorVectors.map((vector) => [vector.file, vector.name, vector.clause, vector] as const))(
    '%s: %s (%s)',
    async (_file, _title, _clause, vector) => {
      const verdict = await verdictOf(subject, vector);
      const { args, ...rest } = vector.expect;
      expect(verdict).toMatchObject(rest);
      if (args !== undefined) expectSameArguments(verdict, args);
      if (!verdict.accepted) expectRefusalFromTable(verdict);
    },
  );
});

/** By canonical text, so that a member `__proto__` counts; by value, so that -0 does not become 0. */
function expectSameArguments(verdict: Verdict, args: JsonValue): void {
  const got = verdict.accepted && verdict.kind === 'call' ? verdict.args : undefined;
  expect(canonicalText(got)).toBe(canonicalText(args));
}

function expectRefusalFromTable(verdict: Extract<Verdict, { accepted: false }>): void {
  expect(CODES[verdict.code].class).toBe(verdict.class);
  expect(verdict.message).toMatch(/\.$/);
  expect(() => canonicalText({ pointer: verdict.pointer, details: verdict.details })).not.toThrow();
}

test('each vector has a name of its own', () => {
  const names = vectors().map(({ file, name }) => `${file}: ${name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('each vector has an expectation', () => {
  for (const { name, expect: expected } of vectors()) {
    expect(Object.keys(expected as JsonObject).length, name).toBeGreaterThan(0);
  }
});

const of = (member: string) =>
  vectors()
    .filter(({ input }) => Object.hasOwn(input, member))
    .map((vector) => [vector.name, vector.clause, vector] as const);

describe('vectors of runs:', () => {
  test.each(of('script'))('%s (%s)', (_title, _clause, { input, expect: expected }) => {
    const world = play(input as unknown as RunInput);
    const { receipts, executed, records, reply, ending } = expected;
    if (receipts !== undefined) {
      const got = bodies(world, 'receipt').map(({ receipt, evidence }) => ({
        status: receipt.status,
        ...(evidence.reason && { code: evidence.reason.code }),
      }));
      expect(got).toEqual(receipts);
    }
    expect(world.executed.map(({ call }) => call.capability.manifest.name)).toEqual(executed);
    if (records !== undefined) expect(world.records.map(({ kind }) => kind)).toEqual(records);
    if (reply !== undefined) expect(told(world)).toEqual(reply);
    if (ending === undefined) expect(world.ends).toEqual([]);
    else expect(world.ends.map((end) => end.ending)).toMatchObject([ending]);
  });
});

describe('vectors of definitions:', () => {
  test.each(of('definition'))('%s (%s)', (_title, _clause, { input, expect: expected }) => {
    const defined = define(input['definition']);
    if (expected['accepted'] === true) return expect(defined).toMatchObject({ ok: true });
    expect(defined).toMatchObject({
      ok: false,
      refusal: { code: expected['code'], pointer: expected['pointer'], class: 'definition' },
    });
  });

  test.each(of('definitions'))('%s (%s)', (_title, _clause, { input, expect: expected }) => {
    const capabilities = (input['definitions'] as readonly JsonObject[]).map((definition) => must(define(definition)));
    expect(makeRegistry(capabilities)).toMatchObject({
      ok: false,
      refusal: { code: expected['code'], class: 'definition' },
    });
  });
});

describe('vectors of content:', () => {
  test.each(of('index'))('%s (%s)', (_title, _clause, { input, expect: expected }) => {
    const files = input['index'] as unknown as readonly { readonly path: string; readonly bytes: Part }[];
    const built = buildIndex(files.map(({ path, bytes }) => ({ path, bytes: bytesOf(bytes) })));
    expect(built.ok ? built.value : built.refusal).toMatchObject(expected);
  });

  test.each(of('slice'))('%s (%s)', (_title, _clause, { input, expect: expected }) => {
    const sliced = applySlice(input['of'] as string, input['slice'] as string);
    expect(sliced.ok ? sliced.value : sliced.refusal).toMatchObject(expected);
  });
});

describe('the table of codes', () => {
  const yielded = new Set(vectors().flatMap(({ expect: expected }) => codesIn(expected)));

  test.each(Object.keys(CODES))('the table of codes has a vector that yields %s', (code) => {
    expect([...yielded]).toContain(code);
  });

  test('the table of codes has every code that a vector names', () => {
    // A fault of the program itself has a code that is no refusal.
    const known = [...Object.keys(CODES), 'runtime_closed'];
    for (const code of yielded) expect(known).toContain(code);
  });
});

/** Codes of a verdict, of receipts, of an ending, of an error that a guest meets, and of a reply that has no room. */
function codesIn({ code, receipts = [], ending = {}, guest, omitted }: JsonObject): readonly JsonValue[] {
  const inside = [...(receipts as readonly JsonObject[]), ending as JsonObject].flatMap((each) => [
    each['code'],
    each['error'],
  ]);
  return [code, guest, omitted, ...inside].filter((each) => each !== undefined);
}
