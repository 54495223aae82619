import { describe, expect, test } from 'vitest';
import { CODES, type Dialect, type DecodeLimits, type JsonObject, type JsonValue } from '../../core/index.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import type { Verdict } from '../../core/protocol/verdict.ts';
import { core, type Subject } from './validator.ts';
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

test('vectors have names of their own', () => {
  const names = vectors().map(({ file, name }) => `${file}: ${name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('every vector expects something', () => {
  for (const { name, expect: expected } of vectors()) {
    expect(Object.keys(expected as JsonObject).length, name).toBeGreaterThan(0);
  }
});
