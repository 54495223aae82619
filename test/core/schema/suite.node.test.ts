import { describe, expect, it } from 'vitest';
import { lint, REFUSALS } from '../../../core/index.ts';
import { precompile } from './precompiled.ts';
import { realmChecks, ruleOf } from './realm.ts';
import { isValid } from './reference.ts';
import { type Group, suiteGroups } from './suite.ts';

const groups = suiteGroups() ?? [];
const accepted = groups.filter(({ schema }) => lint(schema).ok);
const title = 'JSON-Schema-Test-Suite 2020-12';
const validators = once(() => precompile(accepted.map(({ schema }) => schema)));

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/**
 * The only difference from the default of the specification: `format` asserts. The tests of `format.json` say that it
 * must not, so the opposite is expected for these tests and for no other test.
 */
const asserted = ({ file }: Group, { description }: Group['tests'][number]): boolean =>
  file === 'format.json' && description.endsWith('is only an annotation by default');

/** The answer that the product must give for a test. */
const expected = (group: Group, test: Group['tests'][number]): boolean => test.valid !== asserted(group, test);

/** Files whose every group is refused, because the whole file tests a feature that the product does not have. */
const REFUSED_FILES = [
  'defs.json',
  'dynamicRef.json',
  'optional/cross-draft.json',
  'optional/dependencies-compatibility.json',
  'optional/dynamicRef.json',
  'optional/format-assertion.json',
  'optional/format/hostname.json',
  'optional/format/idn-email.json',
  'optional/format/idn-hostname.json',
  'optional/format/iri-reference.json',
  'optional/format/iri.json',
  'optional/format/unknown.json',
  'optional/id.json',
  'optional/refOfUnknownKeyword.json',
  'optional/unknownKeyword.json',
  'refRemote.json',
  'vocabulary.json',
];

it.skipIf(groups.length > 0)(`${title} is not at hand: set SALLYPORT_SUITES to run it`, () => {
  console.log(`skipped: ${title} (SALLYPORT_SUITES is not set)`);
});

describe.runIf(groups.length > 0)(title, () => {
  it('JSON-Schema-Test-Suite has 461 groups', () => {
    expect(groups.length).toBe(461);
  });

  it('a group of the suite is refused only by a rule of the table, at a pointer that exists', () => {
    for (const { file, description, schema } of groups) {
      const outcome = lint(schema);
      if (outcome.ok) continue;
      const { code, details, pointer } = outcome.refusal;
      expect(code, `${file}: ${description}`).toBe('schema_refused');
      expect(Object.keys(REFUSALS)).toContain(details['rule']);
      expect(valueAt(schema, pointer ?? '?'), `${file}: ${description} at ${pointer}`).not.toBe(undefined);
    }
  });

  it('the groups of the suite are refused this often by each rule', () => {
    const tally: { [rule: string]: number } = {};
    for (const { schema } of groups) {
      const outcome = lint(schema);
      const rule = outcome.ok ? 'accepted' : ruleOf(outcome.refusal);
      tally[rule] = (tally[rule] ?? 0) + 1;
    }
    expect(tally).toMatchInlineSnapshot(`
      {
        "accepted": 364,
        "dialect": 4,
        "duplicate_anchor": 1,
        "dynamic_ref": 19,
        "embedded_id": 14,
        "empty_enum": 1,
        "proto_member": 1,
        "remote_ref": 27,
        "unevaluated_items": 4,
        "unknown_format": 13,
        "unknown_keyword": 12,
        "unresolved_ref": 1,
      }
    `);
  });

  it('a file of the suite is refused whole only when it tests a feature that the product does not have', () => {
    const files = new Set(groups.map(({ file }) => file));
    const left = new Set(accepted.map(({ file }) => file));
    expect([...files].filter((file) => !left.has(file)).toSorted()).toEqual(REFUSED_FILES);
  });

  it('a plain reading of the specification gives the verdicts of the suite', () => {
    for (const group of accepted) {
      for (const test of group.tests) {
        expect(isValid(group.schema, test.data), `${group.file}: ${group.description}: ${test.description}`).toBe(
          expected(group, test),
        );
      }
    }
  });

  it('precompiled validators give the verdicts of the suite', async () => {
    const checks = await validators();
    accepted.forEach((group, at) => {
      for (const test of group.tests) {
        const issues = checks[at]?.(test.data);
        expect(issues?.length === 0, `${group.file}: ${group.description}: ${test.description}`).toBe(
          expected(group, test),
        );
      }
    });
  });

  it('the realm gives the issues of the precompiled validators, letter by letter', async () => {
    const [inside, outside] = [await realmChecks(accepted.map(({ schema }) => schema)), await validators()];
    accepted.forEach((group, at) => {
      for (const test of group.tests) {
        const name = `${group.file}: ${group.description}: ${test.description}`;
        expect(inside[at]?.(JSON.stringify(test.data)), name).toEqual(outside[at]?.(test.data));
      }
    });
  }, 60_000);
});

function valueAt(schema: unknown, pointer: string): unknown {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce<unknown>(
    (at, token) => (Object.hasOwn(at as object, token) ? (at as never)[token] : undefined),
    schema,
  );
}
