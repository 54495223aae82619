import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import type { PastUse } from '../../../core/privilege/history.ts';
import { proposeGrants } from '../../../core/privilege/propose.ts';
import { draftRule, grantsIn, type RuleChanges, tryDraft } from '../../../core/privilege/revise.ts';
import { ruleText } from '../../../core/privilege/words.ts';
import { lint } from '../../../core/schema/lint.ts';
import { must } from '../validator.ts';
import { accepts, DEFINITIONS, SEND, TAINTED, use, WRITE } from './uses.ts';

const [READ] = DEFINITIONS as [(typeof DEFINITIONS)[number]];
const drafted = (uses: readonly PastUse[], changes: RuleChanges = {}, definition = READ) => {
  const draft = draftRule(uses, { definition, changes });
  if (draft === undefined) throw new Error('no draft');
  return draft;
};
const schemaOf = ({ rule }: ReturnType<typeof drafted>, name = 'path') =>
  (rule.terms.where?.['properties'] as Record<string, unknown> | undefined)?.[name];
const FILES = Array.from({ length: 12 }, (_, at) => use({ path: `/notes/${at}.md`, lines: at }));

describe('a proposed rule that a person changes', () => {
  test('is the proposal where nothing is changed', () => {
    const uses = [...FILES, use({ path: '/etc/passwd', lines: 1 }, TAINTED)];
    const { rules } = must(proposeGrants(uses, { definitions: DEFINITIONS }));
    const { rule, beyond } = drafted(uses);
    expect([rule, beyond]).toEqual(rules);
  });

  test('offers the forms that cover the values of each place, from the narrowest', () => {
    const { places } = drafted(FILES);
    expect(places.map(({ pointer, form, forms }) => [pointer, form, forms.map((each) => each.form)])).toEqual([
      ['/lines', 'range', ['range', 'any']],
      ['/path', 'folder', ['folder', 'length', 'any']],
    ]);
  });

  test('takes a wider form, and none that does not cover the values', () => {
    expect(schemaOf(drafted(FILES, { places: { '/path': { form: 'length' } } }))).toEqual({
      type: 'string',
      maxLength: 16,
    });
    expect(schemaOf(drafted(FILES, { places: { '/path': { form: 'constant' } } }))).toEqual(schemaOf(drafted(FILES)));
  });

  test('leaves out the calls of a value, which are then refused', () => {
    const draft = drafted(FILES, { places: { '/lines': { without: [0, 1, 2] } } });
    expect(schemaOf(draft, 'lines')).toEqual({ type: 'integer', minimum: 3, maximum: 11 });
    expect([draft.covers.count, draft.refuses.count]).toEqual([9, 3]);
    const inside = drafted(FILES, { places: { '/path': { without: ['/notes/5.md'] } } });
    expect(schemaOf(inside)).toMatchObject({ not: { enum: ['/notes/5.md'] } });
    expect(ruleText(inside.rule, String)).toContain('path is inside of /notes but not "/notes/5.md"');
    expect(inside.refuses.newest.map(({ args }) => args)).toEqual(['{"lines":5,"path":"/notes/5.md"}']);
    expect(tryDraft(FILES, draft, { definition: READ }).counts).toMatchObject({ same: 9, refused: 3 });
    const all = draftRule(FILES, {
      definition: READ,
      changes: { places: { '/lines': { without: Array.from({ length: 12 }, (_, at) => at) } } },
    });
    expect(all).toBeUndefined();
  });

  test('lists what was only seen after data of a stranger, and takes it in one by one', () => {
    const uses = [
      use({ path: '/a' }),
      use({ path: '/b' }, TAINTED),
      use({ path: '/c' }, TAINTED),
      use({ path: '/a', mode: 'x' }, TAINTED),
    ];
    const before = drafted(uses);
    expect(before.places.map(({ pointer, beyond }) => [pointer, beyond])).toEqual([
      ['/path', ['/b', '/c']],
      ['/mode', ['x']],
    ]);
    const after = drafted(uses, { places: { '/path': { taken: ['/b'] }, '/mode': { taken: ['x'] } } });
    expect(schemaOf(after)).toEqual({ enum: ['/a', '/b'] });
    expect(after.rule.terms.where).toMatchObject({ properties: { mode: { const: 'x' } }, required: ['path'] });
    expect(after.covers.count).toBe(3);
    expect(after.places[1]?.beyond).toEqual(['/b', '/c']);
    expect(tryDraft(uses, after, { definition: READ }).counts).toMatchObject({ same: 3, asked: 1, refused: 0 });
  });

  test('takes in no value that was never seen', () => {
    const uses = [use({ path: '/notes/a' }), use({ path: '/notes/b' }, TAINTED)];
    const taken = ['/notes/b', '/etc/shadow', 'C:\\x'];
    const draft = drafted(uses, { places: { '/path': { taken }, '/mode': { taken: ['x'] } } });
    expect(draft.rule.terms.where).toMatchObject({ properties: { path: { enum: ['/notes/a', '/notes/b'] } } });
    expect(JSON.stringify(draft)).not.toMatch(/shadow|"\/mode"/);
  });

  test('permits a write where a person says so, and never a call that was refused', () => {
    const write = { of: WRITE };
    const uses = [use({ path: '/a' }, write), use({ path: '/b' }, write)];
    expect(drafted(uses, {}, WRITE).rule).toMatchObject({ asks: 'effect', terms: { mode: 'ask' } });
    expect(drafted(uses, { mode: 'allow' }, WRITE).rule.terms.mode).toBe('allow');
    const refused = [
      ...uses,
      use({ path: '/b' }, { ...write, end: 'denied', asked: 'grant', code: 'approval_denied' }),
    ];
    const kept = drafted(refused, { mode: 'allow' }, WRITE);
    expect(kept).toMatchObject({ keeps: 'refused', rule: { asks: 'refused', terms: { mode: 'ask' } } });
    const narrow = drafted(refused, { mode: 'allow', places: { '/path': { without: ['/b'] } } }, WRITE);
    expect(narrow.rule.terms.mode).toBe('allow');
    expect(narrow.refuses.newest.map(({ end, args }) => [end, args])).toContainEqual(['denied', '{"path":"/b"}']);
  });

  test('asks where all of it was seen after data of a stranger, whatever a person says', () => {
    const uses = [use({ to: 'a' }, { of: SEND, ...TAINTED })];
    expect(drafted(uses, { mode: 'allow' }, SEND)).toMatchObject({
      keeps: 'untrusted',
      rule: { terms: { mode: 'ask' } },
    });
  });

  test('shows no secret, in no list', () => {
    const uses = [use({ key: 's3cret' }, { isSecret: true }), use({ key: 's3cret2' }, { isSecret: true, ...TAINTED })];
    const options = { definition: READ, isSecret: (text: string) => text.includes('s3cret') };
    expect(JSON.stringify(draftRule(uses, options))).not.toContain('s3cret');
    const plain = [use({ key: 's3cret' }), use({ key: 'x s3cret' }, TAINTED), use({ other: 's3cret' }, TAINTED)];
    expect(JSON.stringify(draftRule(plain, options))).not.toContain('s3cret');
  });

  test('denials beside it still refuse', () => {
    const beside = [{ capability: READ.name, mode: 'deny' as const, where: { required: ['lines'] } }];
    expect(tryDraft(FILES, drafted(FILES), { definition: READ, beside }).counts.refused).toBe(12);
  });

  test('whatever is changed: its schema is admitted, it covers what it says, and permits no refused call', () => {
    const value = fc.constantFrom<JsonValue>('a', '/n/x', '/n/y', 3, 7, true, null);
    const args = fc.record({ p: value, q: value, l: fc.array(value, { maxLength: 3 }) }, { requiredKeys: ['p'] });
    const end = fc.constantFrom('ran' as const, 'ran' as const, 'denied' as const);
    const uses = fc.array(fc.record({ args, end, isTainted: fc.boolean() }), { minLength: 1, maxLength: 12 });
    const place = fc.record(
      {
        without: fc.array(value, { maxLength: 2 }),
        taken: fc.array(value, { maxLength: 2 }),
        form: fc.constantFrom('constant', 'values', 'range', 'folder', 'length', 'any', 'list', 'object'),
      },
      { requiredKeys: [] },
    );
    const places = fc.dictionary(fc.constantFrom('', '/p', '/q', '/l', '/l/*', '/z'), place);
    fc.assert(
      fc.property(uses, places, fc.constantFrom('allow', 'ask'), (given, changed, mode) => {
        const history = given.map(({ args: each, end: how, isTainted }) =>
          use(each, { end: how, ...(how === 'denied' && { asked: 'grant' as const }), ...(isTainted && TAINTED) }),
        );
        const draft = draftRule(history, { definition: READ, changes: { mode, places: changed } as RuleChanges });
        if (draft === undefined) return;
        for (const { where } of grantsIn(draft)) if (where !== undefined) must(lint(where));
        const { where = {} } = draft.rule.terms;
        const covered = history.filter((each) => accepts(where, each.args ?? null));
        expect(draft.covers.count).toBe(covered.length);
        // a wider form of the arguments as a whole says nothing about a member
        const left = changed['']?.form === undefined ? (changed['/p']?.without ?? []) : [];
        for (const each of covered) expect(left).not.toContainEqual((each.args as { p: JsonValue }).p);
        expect(tryDraft(history, draft, { definition: READ }).counts.permitted).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
