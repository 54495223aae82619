import { beforeAll, expect, test } from 'vitest';
import {
  type CheckId,
  canonicalText,
  formatExport,
  parseExport,
  type Report,
  verifyExport,
} from '../../../core/index.ts';
import { isTried } from '../../cases.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { rewrite } from './rewrite.ts';
import { EVERYTHING, record } from './runs.ts';

/** A real run of more than two hundred records, and its texts. Payloads are altered in other test files. */
let run_id = '';
let texts: readonly string[] = [];
let foreign: readonly string[] = [];
let anchor = { count: 0, head: '' };
beforeAll(async () => {
  const script = [...EVERYTHING, ...EVERYTHING, { message: { content: 'done' } }];
  [run_id, texts] = textsIn(await record(openRuntime, script));
  [, foreign] = textsIn(await record(openRuntime, script));
  const { records, head } = verifyExport(exported(texts));
  anchor = { count: records, head };
});

function textsIn(text: string): [string, readonly string[]] {
  const file = parseExport(text);
  return [file.run_id ?? '', text.split('\n').slice(1, 1 + file.records.length)];
}

const exported = (records: readonly string[]) => formatExport(run_id, records, []);
const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);

/** The first record that the checks of the file itself name. */
const named = ({ checks }: Report) =>
  Math.min(...checks.flatMap(({ id, first }) => (first && id !== 'anchor' ? [first.run_seq] : [])));

test('the run of this file has more than two hundred records and passes every check', () => {
  expect(texts.length).toBeGreaterThan(200);
  expect(failed(verifyExport(exported(texts), { anchor }))).toEqual([]);
});

test('a changed field of any record is found at exactly that record', () => {
  for (const [run_seq, text] of texts.entries()) {
    // The copy ends with the record behind: a later record cannot be named before the altered record.
    const whole = exported(texts.slice(0, run_seq + 2));
    const fields = JSON.parse(text) as { [name: string]: unknown };
    for (const [nth, [name, value]] of Object.entries(fields).entries()) {
      if (!isTried(run_seq + nth)) continue;
      const altered = canonicalText({ ...fields, [name]: other(value) });
      expect(named(verifyExport(whole.replace(text, () => altered))), `${name} of ${run_seq}`).toBe(run_seq);
    }
  }
}, 120_000);

test('a changed byte of any record is found at exactly that record', () => {
  const whole = exported(texts);
  for (const [run_seq, text] of texts.entries()) {
    if (!isTried(run_seq)) continue;
    const place = (run_seq * 7919) % text.length;
    const flipped = String.fromCharCode(text.charCodeAt(place) ^ (1 << (run_seq % 7)));
    const altered = text.slice(0, place) + flipped + text.slice(place + 1);
    expect(named(verifyExport(whole.replace(text, () => altered))), `byte ${place} of ${run_seq}`).toBe(run_seq);
  }
}, 120_000);

test('a record deleted, doubled, exchanged, cut off or spliced in breaks the links and no other check', () => {
  for (const n of [0, 1, 17, 100, texts.length - 2]) {
    const [one = '', two = ''] = texts.slice(n);
    const end = exported(texts).split('\n').at(-2) ?? '';
    const wrong: readonly string[] = [
      exported(texts.toSpliced(n, 1)),
      exported(texts.toSpliced(n, 0, one)),
      exported(texts.toSpliced(n, 2, two, one)),
      exported(texts.with(n, foreign[n] ?? '')),
      exported(texts.slice(0, n)).replace(/\{"end":.*\}/, end),
    ];
    expect(
      wrong.map((text) => failed(verifyExport(text)).join()),
      `at ${n}`,
    ).toEqual(wrong.map(() => 'links'));
  }
});

test('a run hashed again from any record on fails the anchor and no other check', () => {
  for (const n of [0, 1, 100, texts.length - 1]) {
    const anew = rewrite(
      exported(texts),
      ({ body }) => body,
      undefined,
      (run_seq) => run_seq >= n,
    );
    expect(failed(verifyExport(anew, { anchor })), `from ${n}`).toEqual(['anchor']);
  }
});

function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.startsWith('a') ? 'b' : 'a'}${value.slice(1)}`;
  return { ...(value as object), step: 9999 };
}
