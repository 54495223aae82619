import { beforeAll, describe, expect, it } from 'vitest';
import { ENGINE } from '../../../../core/capability/engine.ts';
import {
  BUDGETS,
  type Draft,
  extend,
  formatExport,
  NO_RECORDS,
  parseExport,
  type Report,
  RUN_LIMITS,
  type RunHead,
  verdictOf,
  verifyExport,
} from '../../../../core/index.ts';
import { firstProblem } from '../../../../web/playground/audit/audit.ts';
import { firstDifference } from '../../../../web/playground/audit/first-difference.ts';
import { hashesIn, subjectText } from '../../../../web/playground/files/hash-uses.ts';
import { TAMPERINGS } from '../../../../web/playground/files/tampering.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';
const LENGTH = 12;

const HASH = 'ab'.repeat(32);
const CONFIGURATION: Draft = {
  kind: 'configuration',
  body: {
    format: 'sallyport/1',
    dialect: 'xct/0.1',
    behaviour: 1,
    registry: { sha256: HASH, bytes: 2 },
    registry_hash: HASH,
    policy: { sha256: HASH, bytes: 2 },
    policy_hash: HASH,
    limits: RUN_LIMITS,
    limits_hash: HASH,
    budgets: BUDGETS,
    model: 'script',
    isolation: 'node',
    engine: ENGINE,
  },
};

let text = '';
let head: RunHead = NO_RECORDS;

/** A small run with a real chain: tampering needs only a configuration and pauses. */
beforeAll(() => {
  const texts = Array.from({ length: LENGTH }, (_, i) => {
    const draft: Draft = i === 0 ? CONFIGURATION : { kind: 'state', body: { event: 'resumed' } };
    const link = extend(head, draft, { run_id: RUN, epoch: 0, at: 1_700_000_000_000 + i });
    head = { records: i + 1, head: link.record.hash };
    return link.text;
  });
  text = formatExport(RUN, texts, []);
});

function tampered(word: string, seq: number, anchored: boolean): Report {
  const tampering = TAMPERINGS.find((each) => each.word === word);
  if (tampering === undefined) throw new Error(word);
  const copy = tampering.apply({ text, file: parseExport(text) }, seq);
  expect(copy).not.toBe(text);
  return verifyExport(copy, anchored ? { anchor: { count: head.records, head: head.head } } : {});
}

const failed = (report: Report): string[] =>
  report.checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
describe('falsifying a copy of an export', () => {
  it('an export that is not falsified passes every check', () => {
    expect(failed(verifyExport(text))).toEqual([]);
    expect(failed(verifyExport(text, { anchor: `${head.records}:${head.head}` }))).toEqual([]);
  });

  it.each([0, 1, 5, LENGTH - 1])('a flipped byte is found at its record %i', (seq) => {
    const report = tampered('Flip a byte', seq, false);
    expect(report.ok).toBe(false);
    expect(firstProblem(report)).toBe(seq);
  });

  it.each([1, 5, LENGTH - 1])('deleting record %i breaks the links', (seq) => {
    expect(failed(tampered('Delete record', seq, false))).toContain('links');
  });

  it('swapping two records breaks the links', () => {
    const report = tampered('Swap two', 4, false);
    expect(failed(report)).toContain('links');
  });

  it.each(['Cut the end', 'Rewrite whole chain'])('"%s" passes every check except an anchor', (word) => {
    expect(failed(tampered(word, 3, false))).toEqual([]);
    expect(failed(tampered(word, 3, true))).toEqual(['anchor']);
  });

  it('hashesIn lists every hash of the file with its subject', () => {
    const uses = hashesIn(parseExport(text));
    expect(uses.filter(({ hash }) => hash === head.head).map(subjectText)).toEqual([
      `record ${LENGTH - 1} (state), its body by the body's hash`,
      'the last record, named by the end line',
    ]);
    expect(new Set(uses.map(({ hash }) => hash))).toEqual(new Set(text.match(/[0-9a-f]{64}/g)));
  });

  it('firstDifference names the first byte that differs', () => {
    expect(firstDifference('abc', 'axc')).toEqual({ at: 1, was: 'b', is: 'x' });
    expect(firstDifference('abc', 'ab')).toEqual({ at: 2, was: 'c', is: 'the end' });
    expect(firstDifference('abc', 'abc')).toBeUndefined();
  });
});

describe('an anchor in the audit view', () => {
  it('an anchor is read in the forms in which people copy it', () => {
    for (const given of [`${head.records}:${head.head}`, ` sha256:${head.head} `, head.head.toUpperCase()]) {
      expect(failed(verifyExport(text, { anchor: given }))).toEqual([]);
      expect(verdictOf(verifyExport(text, { anchor: given })).tone).toBe('good');
    }
  });

  it('an anchor that cannot be read fails the anchor check', () => {
    for (const given of ['latest', head.head.slice(1), `${head.head}0`])
      expect(failed(verifyExport(text, { anchor: given }))).toEqual(['anchor']);
  });
});
