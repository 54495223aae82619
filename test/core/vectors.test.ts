import { describe, expect, test } from 'vitest';
import {
  CODES,
  type DecodeLimits,
  type Dialect,
  define,
  type JsonObject,
  type JsonValue,
  makeRegistry,
} from '../../core/inner.ts';
import { canonicalText } from '../../core/json/canonical.ts';
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

test('vectors have names of their own', () => {
  const names = vectors().map(({ file, name }) => `${file}: ${name}`);
  expect(new Set(names).size).toBe(names.length);
});

test('every vector expects something', () => {
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

/** Codes that bytes, rules and scripts do not reach, and where they are. */
const ELSEWHERE: { readonly [code: string]: string } = {
  not_json: 'a value of the host that JSON cannot say: test/json/canonical.test.ts',
  capability_gone: 'the registry of a run never changes: test/core/capability/authorize.test.ts',
  power_unknown: 'a power that the page does not provide: test/workers/powers.node.ts',
  power_arguments: 'what a guest asks of the page: test/workers/powers.node.ts',
  power_result: 'what the page answers a guest: test/workers/powers.node.ts',
  reply_omitted: 'a result that has no room in the context: test/workers/long-replies.node.ts',
  power_timeout: 'a page that takes too long: test/workers/powers.node.ts',
  power_interrupted: 'a run taken up after a crash: test/workers/parked.node.ts',
  kept_key: 'what a guest keeps: test/sandbox/built-in-powers.test.ts',
  kept_value: 'what a guest keeps: test/sandbox/built-in-powers.test.ts',
  kept_keys: 'what a guest keeps: test/sandbox/built-in-powers.test.ts',
  grant_widens: 'a call of the embedding program: test/core/capability/guard.test.ts',
  option_invalid: 'an option of the embedding program: test/workers',
  source_refused: 'a source that does not load: test/sandbox',
  schema_refused: 'a schema that is registered: test/schema',
  schema_too_large: 'a schema that is registered: test/schema',
  interrupted: 'a run that is taken up again after a crash: test/workers',
  run_open: 'a run that is open already: test/workers',
  run_foreign: 'a run that came by a backup: test/workers/foreign.node.ts',
  model_elsewhere: 'a run that is taken up by a model of another place: test/workers',
  run_absent: 'a run that was never here or was deleted: test/workers/retention-suite.ts',
  backup_refused: 'a backup that was damaged or is of another log: test/workers/retention-suite.ts',
  log_lost: 'a database that others emptied: test/workers/idb-connection.browser.ts, e2e/loss.spec.ts',
  mirror_lost: 'a second copy that cannot be written: test/workers/idb-connection.browser.ts',
  read_unasked: 'content that a capability reads by a grant that asks: test/content/reads.node.ts',
  facts_altered: 'a run that is taken up again from altered records: test/workers',
  payload_missing: 'a run that is taken up again without its payloads: test/workers',
};
/** Families of codes that others reach, by what is said of them in `core/errors.ts`. */
const FAMILIES: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /^budget_|^symbol_(unknown|twice|ambiguous)$|^output_missing$|^section_|^slice_|^content_|^source_|^target_|^path_/,
    'content that operations refer to: test/content',
  ],
  [/^store_|^head_moved$|^run_sealed$|^receipt_incomplete$/, 'what a store meets: test/ledger'],
  [
    /_altered$|_disagrees$|_differs$|^not_replayed$|^behaviour_other$|_malformed$|^export_|^chain_broken$|^payload_/,
    'what a verifier finds in an export: test/ledger, test/replay',
  ],
];
describe('the table of codes', () => {
  const yielded = new Set(
    vectors().flatMap(({ expect: { code, receipts, ending } }) => [
      code,
      (ending as JsonObject | undefined)?.['code'],
      ...((receipts ?? []) as readonly JsonObject[]).map((receipt) => receipt['code']),
    ]),
  );

  test.each(Object.keys(CODES))('has a vector, or a reason, for %s', (code) => {
    const reason = ELSEWHERE[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1];
    expect([code, yielded.has(code) || reason !== undefined]).toEqual([code, true]);
  });

  test('has every code that a vector names', () => {
    for (const code of yielded) if (code !== undefined) expect(Object.keys(CODES)).toContain(code);
  });

  test('has no excuse for what a vector yields', () => {
    for (const code of Object.keys(ELSEWHERE)) expect([code, yielded.has(code)]).toEqual([code, false]);
  });
});
