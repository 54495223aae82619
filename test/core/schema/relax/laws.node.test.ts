import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decoder, isObject, type JsonObject, lint, relaxSchema } from '../../../../core/index.ts';
import { FORMATS } from '../../../../core/schema/formats.ts';
import { caseCount } from '../../../cases.ts';
import { evaluating, schema, value } from '../arbitrary.ts';
import { validity } from '../reference.ts';
import { toolSchema } from './arbitrary.ts';
import { refusedBy } from './decoders.ts';

const SEED = 20_261_123;
/** ajv takes no multiple of 1e22 for a multiple. */
const ordinary = value.filter((one) => !/1e\+22|__proto__/.test(JSON.stringify(one)));
const values = fc.sample(ordinary, { numRuns: 40, seed: SEED });
const DECODERS: readonly Decoder[] = ['openai-strict', 'llama.cpp', 'xgrammar', 'prompt-api', 'gemini'];
const OPTIONS = {
  strict: false,
  logger: false,
  formats: FORMATS,
  ownProperties: true,
  multipleOfPrecision: 9,
  // Each validator sees a few values: a shorter program would take longer to make than it saves.
  code: { optimize: false },
} as const;
/** One instance for all schemas: it compiles the metaschema, which takes longer than the schemas do. */
const ajv = new Ajv2020(OPTIONS);

/** Strict schemas: of the whole vocabulary, of the keywords that combine, and as tools have them. */
const schemas = [schema, evaluating, toolSchema].flatMap((from) =>
  fc
    .sample(from, { numRuns: caseCount(200), seed: SEED })
    .filter((one): one is JsonObject => isObject(one) && lint(one).ok)
    .map((one) => ({ one, accepts: validity(one) })),
);

describe.each(DECODERS)('a schema relaxed for %s', (decoder) => {
  const relaxed = schemas.map(({ one, accepts }) => ({ one, accepts, ...relaxSchema(one, decoder) }));

  it('a relaxed schema accepts by ajv each value that the strict schema accepts', () => {
    let compared = 0;
    for (const { one, accepts, schema: made } of relaxed) {
      const check = ajv.compile(made);
      ajv.removeSchema(made);
      const accepted = values.filter(accepts);
      const wrong = accepted.find((each) => !check(each));
      expect(wrong === undefined ? 'wider' : { one, wrong, made }).toBe('wider');
      compared += accepted.length;
    }
    expect(compared).toBeGreaterThan(caseCount(5_000));
  });

  it('a relaxed schema from which no constraint was dropped accepts the same values', () => {
    const same = relaxed.filter(({ dropped }) => dropped.length === 0);
    for (const { one, accepts, schema: made } of same) {
      const wide = validity(made);
      const wrong = values.find((each) => accepts(each) !== wide(each));
      expect(wrong === undefined ? 'equal' : { one, wrong, made }).toBe('equal');
    }
    expect(same.length).toBeGreaterThan(caseCount(20));
  });

  it('a relaxed schema has only what the decoder takes, and can be registered', () => {
    for (const { one, schema: made, fits } of relaxed) {
      expect(lint(made).ok, JSON.stringify({ one, made })).toBe(true);
      expect(refusedBy(decoder, made, fits), JSON.stringify({ one, made })).toEqual([]);
    }
    expect(relaxed.filter(({ fits }) => fits).length).toBeGreaterThan(caseCount(20));
  });
});
