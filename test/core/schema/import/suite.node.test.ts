import { describe, expect, it } from 'vitest';
import { importSchema, isObject } from '../../../../core/index.ts';
import { ruleOf } from '../realm.ts';
import { validity } from '../reference.ts';
import { type Group, suiteGroups } from '../suite.ts';
import { OLDER_DRAFTS, type OlderDraft } from './drafts.ts';

/** Groups that ajv gets wrong. The translation must give the suite's verdict in each. */
const FAULTS_OF_AJV: ReadonlySet<string> = new Set([
  'optional/float-overflow.json: all integers are multiples of 0.5, if overflow is handled',
  'unevaluatedItems.json: unevaluatedItems with nested items',
  'unevaluatedItems.json: unevaluatedItems can see annotations from if without then and else',
  'unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined',
  'unevaluatedProperties.json: unevaluatedProperties can see annotations from if without then and else',
]);

/** Taken and refused groups of each draft, and instances whose verdicts were compared. */
const COUNTS: { readonly [draft: string]: { readonly [what: string]: number } } = {
  draft4: { taken: 183, embedded_id: 3, proto_member: 1, remote_ref: 12, instances: 898 },
  draft6: { taken: 252, embedded_id: 3, not_schema: 2, proto_member: 1, remote_ref: 18, instances: 1198 },
  draft7: { taken: 292, embedded_id: 3, not_schema: 2, proto_member: 1, remote_ref: 23, instances: 1639 },
  'draft2019-09': {
    taken: 395,
    dialect: 2,
    duplicate_anchor: 1,
    embedded_id: 9,
    empty_enum: 1,
    not_schema: 2,
    proto_member: 1,
    remote_ref: 37,
    instances: 2026,
  },
};

describe.each(OLDER_DRAFTS)('JSON-Schema-Test-Suite $folder', ({ folder, dialect, ajv }) => {
  const groups = suiteGroups(folder) ?? [];
  const title = `the translation of ${folder} agrees with ajv on each instance of the suite`;

  it.skipIf(groups.length > 0)(`${title} (the suite is not at hand: set SALLYPORT_SUITES)`, () => {
    console.log(`skipped: JSON-Schema-Test-Suite ${folder} is not in SALLYPORT_SUITES`);
  });

  it.runIf(groups.length > 0)(title, () => {
    const counts: { [what: string]: number } = { instances: 0 };
    for (const group of groups) {
      const named = isObject(group.schema) ? { $schema: dialect, ...group.schema } : group.schema;
      const imported = importSchema(named, { close: false });
      const what = imported.ok ? 'taken' : ruleOf(imported.refusal);
      counts[what] = (counts[what] ?? 0) + 1;
      if (!imported.ok) continue;
      const verdict = validity(imported.value.schema);
      for (const { name, data, expected } of instances(group, ajv)) {
        counts['instances'] = Number(counts['instances']) + 1;
        expect(verdict(data), `${folder}/${name}`).toBe(expected);
      }
    }
    console.log(`${folder}: ${JSON.stringify(counts)}`);
    expect(counts).toEqual(COUNTS[folder]);
  });
});

interface Instance {
  readonly name: string;
  readonly data: unknown;
  readonly expected: boolean;
}

function instances(group: Group, ajv: OlderDraft['ajv']): readonly Instance[] {
  const name = `${group.file}: ${group.description}`;
  const check = FAULTS_OF_AJV.has(name) ? undefined : ajv().compile(group.schema as object);
  return group.tests.map(({ description, data, valid }) => {
    return { name: `${name}: ${description}`, data, expected: check === undefined ? valid : check(data) === true };
  });
}
