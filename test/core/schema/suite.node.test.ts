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
 * The one place where we leave the specification's default: `format` asserts. These tests say that it must not, so of
 * them, and of nothing else, the opposite is expected.
 */
const asserted = ({ file }: Group, { description }: Group['tests'][number]): boolean =>
  file === 'format.json' && description.endsWith('is only an annotation by default');

/** What a test expects of us. */
const expected = (group: Group, test: Group['tests'][number]): boolean => test.valid !== asserted(group, test);

/** Files whose every group is refused, because the whole file is about something that we do not take. */
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
  it('is whole: 461 groups', () => {
    expect(groups.length).toBe(461);
  });

  it('is refused only by a rule of the table, at a pointer that exists', () => {
    for (const { file, description, schema } of groups) {
      const outcome = lint(schema);
      if (outcome.ok) continue;
      const { code, details, pointer } = outcome.refusal;
      expect(code, `${file}: ${description}`).toBe('schema_refused');
      expect(Object.keys(REFUSALS)).toContain(details['rule']);
      expect(valueAt(schema, pointer ?? '?'), `${file}: ${description} at ${pointer}`).not.toBe(undefined);
    }
  });

  it('is refused this often, rule by rule', () => {
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

  it('is refused whole only where a file is about what we do not take', () => {
    const files = new Set(groups.map(({ file }) => file));
    const left = new Set(accepted.map(({ file }) => file));
    expect([...files].filter((file) => !left.has(file)).toSorted()).toEqual(REFUSED_FILES);
  });

  it('gets the verdict it asks for from a plain reading of the specification', () => {
    for (const group of accepted) {
      for (const test of group.tests) {
        expect(isValid(group.schema, test.data), `${group.file}: ${group.description}: ${test.description}`).toBe(
          expected(group, test),
        );
      }
    }
  });

  it('gets the verdict it asks for from precompiled validators', async () => {
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

  it('gets the same issues from the realm, letter by letter', async () => {
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
