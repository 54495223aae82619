import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../core/hash.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import { type CheckId, isWhole, type Report, withCheck } from '../../../core/ledger/checks.ts';
import { formatExport } from '../../../core/ledger/export.ts';
import { isAnswerRef } from '../../../core/ledger/form.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { isTried } from '../../cases.ts';
import { payload, type SampleRun, sampleRun } from './sample.ts';

const run = sampleRun(1, 10);
const texts = textsOf(run);
const good = exported(run);
const NOT_RUN = { anchor: 'not_run', decisions: 'not_run', replay: 'not_run' };
const PASS = { form: 'pass', hashes: 'pass', links: 'pass', ...NOT_RUN };

describe('a whole export', () => {
  test('an export of fifty-three records passes form, hashes and links, and lists the checks that were not run', () => {
    const report = verifyExport(good);
    expect(statuses(report)).toEqual(PASS);
    expect(report).toMatchObject({ ok: true, records: 53, head: recordAt(52).hash });
    expect(report.checks.find((check) => check.id === 'hashes')?.count).toBe(
      53 + run.batches.flatMap((batch) => batch.payloads).length,
    );
  });

  test('an export of a run without a seal passes, since its end line holds its length', () => {
    expect(statuses(verifyExport(exported(sampleRun(2, 3, false))))).toEqual(PASS);
  });

  test('an export of a run without records passes', () => {
    expect(statuses(verifyExport(formatExport(run.run_id, [], [])))).toEqual(PASS);
  });

  test('an export keeps bytes that are no text, and text with a byte order mark', () => {
    const bytes = [
      Uint8Array.of(0xff, 0, 1),
      encodeText('\ufeffx'),
      encodeText('\ud800'),
      encodeText('line\nfeed\u2028'),
    ];
    const named = bytes.map((each) => ({ sha256: payloadOf(each), bytes: each }));
    const record = extend(headAfter(recordAt(52 - 1)), { kind: 'state', body: { event: 'resumed' } }, stamp(run));
    expect(record.text).toContain('resumed');
    const text = withTasks(
      named.map(({ sha256, bytes: each }) => ({ sha256, bytes: each.length })),
      named,
    );
    expect(statuses(verifyExport(text))).toEqual(PASS);
  });

  test('an export verifies without its payloads, whose hashes stand in the records', () => {
    expect(statuses(verifyExport(formatExport(run.run_id, texts, [])))).toEqual(PASS);
  });

  test('the kept beginning of a proposal over the limit is checked by its length and reported as skipped', () => {
    const kept = new Uint8Array(64 << 10).fill(97);
    const { sha256 } = payload('the whole');
    const proposed = (ref: object, bytes: Uint8Array = kept) => {
      const body = { step: 1, step_id: '00000000-0000-8000-8000-000000000000', payload: { sha256, ...ref } } as never;
      const { text } = extend(headAfter(recordAt(0)), { kind: 'proposal', body }, stamp(run));
      return verifyExport(formatExport(run.run_id, [texts[0] as string, text], [{ sha256, bytes }]));
    };
    const report = proposed({ bytes: 99_999, kept: kept.length });
    expect(statuses(report)).toEqual(PASS);
    expect(report.checks[1]?.skipped).toMatchObject({ count: 1, first: { run_seq: 1, code: 'payload_beginning' } });
    const altered = ['hashes', 1, 'payload_altered'];
    expect(firstOf(proposed({ bytes: 99_999, kept: kept.length }, kept.slice(1)))).toEqual(altered);
    // A payload that is there whole must have its hash.
    expect(firstOf(proposed({ bytes: 9, kept: 9 }, encodeText('the while')))).toEqual(altered);
    expect(firstOf(proposed({ bytes: 99_999, kept: 9 }, encodeText('the while')))).toEqual([
      'form',
      1,
      'record_malformed',
    ]);
  });

  test('an answer of a tool is stored whole or not at all', () => {
    const [{ sha256 }, most] = [payload('an answer'), 12 << 20];
    const mayBe = (bytes: number, kept?: number) => isAnswerRef({ sha256, bytes, ...(kept !== undefined && { kept }) });
    expect([mayBe(most), mayBe(most + 1, 0)]).toEqual([true, true]);
    // A beginning would be checked by its length alone.
    expect([mayBe(most, 0), mayBe(most, 9), mayBe(most + 1), mayBe(most + 1, 9)]).toEqual(Array(4).fill(false));
  });

  test('only a proposal may have a payload that is a beginning, and only with the stated length', () => {
    const [{ sha256 }, bytes] = [payload('the whole'), encodeText('the whole')];
    const found = (ref: object) => firstOf(verifyExport(withTasks([{ sha256, ...ref } as never], [{ sha256, bytes }])));
    expect(found({ bytes: 10, kept: 9 })).toEqual(['form', 1, 'record_malformed']);
    expect(found({ bytes: 10 })).toEqual(['hashes', 1, 'payload_altered']);
    const lengths = [9, 10].map((length) => ({ sha256, bytes: length }));
    expect(firstOf(verifyExport(withTasks(lengths, [{ sha256, bytes }])))).toEqual(['hashes', 2, 'payload_altered']);
  });
});

describe('an altered record', () => {
  const fields: (keyof LedgerRecord)[] = [
    'at',
    'body',
    'body_hash',
    'epoch',
    'hash',
    'kind',
    'prev',
    'run_id',
    'run_seq',
  ];

  test.each(fields)('an altered record is named when its %s is another, in canonical JSON', (field) => {
    texts.forEach((text, run_seq) => {
      const record = JSON.parse(text) as LedgerRecord;
      const altered = canonicalText({ ...record, [field]: other(record[field]) });
      const report = verifyExport(good.replace(text, altered));
      expect(report.ok, altered).toBe(false);
      expect(firstOf(report).slice(1, 2), `${field} of ${run_seq}: ${JSON.stringify(firstOf(report))}`).toEqual([
        run_seq,
      ]);
    });
  });

  test('an altered record is named by its fault, and a malformed file by the fault of the file', () => {
    const [, , text = ''] = texts;
    const { at, ...record } = JSON.parse(text) as LedgerRecord;
    const later = good.replace(text, canonicalText({ ...record, at: at + 1 } as never));
    expect(firstOf(verifyExport(later))).toEqual(['hashes', 2, 'record_altered']);
    expect(firstOf(verifyExport(good.slice(0, -1)))).toEqual(['form', 53, 'export_malformed']);
  });

  test('an altered record is named when a member of its body is changed, missing or added', () => {
    // A record of each kind, at both ends and in the middle.
    [0, 1, 2, 3, 4, 5, 6, 29, 30, 31, 51, 52].forEach((run_seq) => {
      const text = texts[run_seq] as string;
      const record = JSON.parse(text) as { body: { [name: string]: unknown } };
      for (const name of Object.keys(record.body)) {
        const { [name]: value, ...rest } = record.body;
        for (const body of [rest, { ...rest, [name]: other(value) }, { ...record.body, [`${name}x`]: value }]) {
          const report = verifyExport(good.replace(text, canonicalText({ ...record, body })));
          expect(report.ok).toBe(false);
          expect(firstOf(report)[1], `${name} of ${run_seq}`).toBe(run_seq);
        }
      }
    });
  });

  test('an altered record is named when any of its bytes is flipped', () => {
    const places = texts.flatMap((text, run_seq) =>
      Array.from(
        { length: Math.ceil(text.length / 83) },
        (_, nth) => [run_seq, nth * 83 + ((run_seq * 31) % 83)] as const,
      ),
    );
    for (const [nth, [run_seq, place]] of places.entries()) {
      if (!isTried(nth)) continue;
      const text = texts[run_seq] as string;
      if (place >= text.length) continue;
      const code = text.charCodeAt(place) ^ (1 << ((place + run_seq) % 7));
      const altered = text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
      const report = verifyExport(good.replace(text, altered));
      expect(report.ok, altered).toBe(false);
      expect(firstOf(report)[1], `byte ${place} of ${run_seq}`).toBe(run_seq);
    }
  }, 60_000);

  test('an altered record is named when a payload that it names is altered', () => {
    for (const line of good.split('\n').filter((each) => each.startsWith('{"payload"'))) {
      const { payload: content } = JSON.parse(line) as { payload: { sha256: string; text: string } };
      const altered = canonicalText({ payload: { ...content, text: `${content.text} ` } });
      const [check, run_seq, code] = firstOf(verifyExport(good.replace(line, altered)));
      expect([check, code]).toEqual(['hashes', 'payload_altered']);
      expect(texts[run_seq]).toContain(content.sha256);
    }
  });
});

describe('a run that is not whole', () => {
  const cases: readonly [string, (lines: string[], n: number) => void, (n: number) => number, CheckId][] = [
    ['a record removed', (lines, n) => void lines.splice(n + 1, 1), (n) => n, 'links'],
    ['a record twice', (lines, n) => void lines.splice(n + 1, 0, lines[n + 1] as string), (n) => n + 1, 'links'],
    [
      'two records exchanged',
      (lines, n) => void lines.splice(n + 1, 2, lines[n + 2] as string, lines[n + 1] as string),
      (n) => n,
      'links',
    ],
    ['a record of another run in its place', (lines, n) => void lines.splice(n + 1, 1, foreign(n)), (n) => n, 'links'],
    ['a blank line between', (lines, n) => void lines.splice(n + 1, 0, ''), (n) => n, 'form'],
    ['rubbish in its place', (lines, n) => void lines.splice(n + 1, 1, '}{'), (n) => n, 'form'],
    [
      'a record of later depth',
      (lines, n) => void lines.splice(n + 1, 1, `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
      (n) => n,
      'form',
    ],
  ];
  test.each(cases)('a run with %s fails the right check at the right record', (_, change, where, id) => {
    for (const n of [0, 1, 2, 25, 50]) {
      const lines = good.split('\n');
      change(lines, n);
      const report = verifyExport(lines.join('\n'));
      const [check, run_seq] = firstOf(report);
      expect([check, run_seq], `at ${n}`).toEqual([id, where(n)]);
    }
  });

  test('a run without its last records disagrees with its end line', () => {
    for (const missing of [1, 2, 30, 53]) {
      const [head = '', ...rest] = good.split('\n');
      const lines = [head, ...rest.slice(0, 53 - missing), ...rest.slice(53)];
      expect(firstOf(verifyExport(onlyNamed(lines)))).toEqual(['links', 53 - missing, 'end_disagrees']);
    }
  });

  test('a well-chained record behind the seal fails the links', () => {
    const late = extend(headAfter(recordAt(52)), { kind: 'state', body: { event: 'resumed' } }, stamp(run));
    expect(firstOf(verifyExport(formatExport(run.run_id, [...texts, late.text], [])))).toEqual([
      'links',
      53,
      'chain_broken',
    ]);
  });

  test('a run that begins later or with another kind of record fails the links', () => {
    expect(firstOf(verifyExport(formatExport(run.run_id, texts.slice(1), [])))).toEqual(['links', 0, 'chain_broken']);
    const first = extend(NO_RECORDS, { kind: 'state', body: { event: 'resumed' } }, stamp(run));
    expect(firstOf(verifyExport(formatExport(run.run_id, [first.text], [])))).toEqual(['links', 0, 'chain_broken']);
  });

  test('an export without its header, its end line or its last line feed fails the form', () => {
    const lines = good.split('\n');
    const wrong = [
      lines.slice(1).join('\n'),
      good.slice(0, -1),
      '',
      '\n',
      [...lines.slice(0, -2), ''].join('\n'),
      good.slice(0, 5_000),
    ];
    for (const text of wrong) expect(statuses(verifyExport(text)).form, text.slice(0, 60)).toBe('fail');
  });

  test('an end line with a false count, head or root fails the links', () => {
    const end = good.split('\n').at(-2) ?? '';
    const { end: sum } = JSON.parse(end) as { end: { count: number; head: string; root: string } };
    for (const lie of [
      { ...sum, count: 52 },
      { ...sum, count: 54 },
      { ...sum, head: recordAt(3).hash },
      { ...sum, root: sum.head },
    ]) {
      expect(firstOf(verifyExport(good.replace(end, canonicalText({ end: lie })))).slice(0, 1)).toEqual(['links']);
      expect(firstOf(verifyExport(good.replace(end, canonicalText({ end: lie })))).at(2)).toBe('end_disagrees');
    }
  });

  test('an export with an unnamed payload, a repeated payload or malformed hex fails', () => {
    const lines = good.split('\n');
    const at = lines.findIndex((line) => line.startsWith('{"payload"'));
    const added = (line: string) => lines.toSpliced(at, 0, line).join('\n');
    const { sha256 } = payload('nobody');
    expect(firstOf(verifyExport(added(canonicalText({ payload: { sha256, text: 'nobody' } }))))).toEqual([
      'links',
      53,
      'payload_unnamed',
    ]);
    expect(firstOf(verifyExport(added(lines[at] ?? ''))).slice(0, 1)).toEqual(['form']);
    expect(firstOf(verifyExport(added(canonicalText({ payload: { sha256, hex: 'f' } })))).slice(0, 1)).toEqual([
      'form',
    ]);
    expect(
      firstOf(verifyExport(added(canonicalText({ payload: { sha256, hex: 'ff', text: '' } })))).slice(0, 1),
    ).toEqual(['form']);
  });
});

describe('a run written anew from a record on', () => {
  const forged = rewritten(20);
  const anchor = { count: 53, head: recordAt(52).hash };

  test('a run written anew passes every check inside the file', () => {
    expect(statuses(verifyExport(forged))).toEqual(PASS);
  });

  test('a run written anew fails exactly the anchor, for a noted head or root, at the end or on the way', () => {
    const root = verifyExport(good).root;
    const early = { size: 30, root: verifyExport(formatExport(run.run_id, texts.slice(0, 30), [])).root };
    for (const noted of [anchor, { count: 30, head: recordAt(29).hash }, { size: 53, root }, early]) {
      expect(statuses(verifyExport(good, { anchor: noted }))).toEqual({ ...PASS, anchor: 'pass' });
      expect(statuses(verifyExport(forged, { anchor: noted }))).toEqual({ ...PASS, anchor: 'fail' });
    }
    expect(statuses(verifyExport(forged, { anchor: { count: 20, head: recordAt(19).hash } })).anchor).toBe('pass');
  });

  test('the anchor fails for a run shorter than the noted size, and for a malformed anchor', () => {
    const short = formatExport(run.run_id, texts.slice(0, 40), []);
    for (const noted of [
      anchor,
      { count: 0.5, head: anchor.head },
      { count: 53, head: 'x' },
      { size: -1, root: anchor.head },
      {} as never,
    ]) {
      expect(statuses(verifyExport(short, { anchor: noted })).anchor).toBe('fail');
    }
  });
});

describe('a check that needs more than the file', () => {
  const wrong = [{ run_seq: 3, code: 'body_altered' as const, message: 'x' }];
  const report = verifyExport(good);

  test('withCheck adds a check with its result to the report', () => {
    const checked = withCheck(withCheck(report, 'decisions', { count: 53, wrong: [] }), 'replay', { count: 10, wrong });
    expect(checked.ok).toBe(false);
    expect(checked.checks.slice(4)).toEqual([
      { id: 'decisions', status: 'pass', count: 53 },
      { id: 'replay', status: 'fail', count: 10, first: wrong[0] },
    ]);
  });

  test('withCheck reports a check without countable results as not run, with its skipped records', () => {
    const none = withCheck(report, 'decisions', { count: 0, wrong: [], skipped: wrong });
    expect(none.checks[4]).toEqual({
      id: 'decisions',
      status: 'not_run',
      count: 0,
      skipped: { count: 1, first: wrong[0] },
    });
  });

  test('isWhole refuses a file that fails form, hashes or links', () => {
    expect(isWhole(report)).toBe(true);
    expect(isWhole(verifyExport(good, { anchor: { count: 53, head: '0'.repeat(64) } }))).toBe(true);
    for (const text of [
      `${good}x`,
      good.replace('"step":1,', '"step":2,'),
      good.replace(texts[3] ?? '', texts[4] ?? ''),
    ])
      expect(isWhole(verifyExport(text))).toBe(false);
  });
});

test('verifyExport never throws on an arbitrary text, and accepts only the whole file or a file without payloads', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !verifyExport(text).ok));
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.json(), fc.constantFrom(...good.split('\n')))), (lines) => {
      const text = lines.join('\n');
      expect(verifyExport(text).ok).toBe(text === good);
    }),
  );
  const cut = fc.tuple(fc.nat(good.length), fc.nat(good.length), fc.string({ unit: 'binary', maxLength: 3 }));
  fc.assert(
    fc.property(cut, ([from, length, between]) => {
      const text = good.slice(0, from) + between + good.slice(from + (length % 50));
      expect(verifyExport(text).ok, `${from} ${length % 50} ${between}`).toBe(onlyErased(text));
    }),
  );
});

/** True if the text lacks only payload lines of the good export. */
function onlyErased(text: string): boolean {
  const lines = new Set(text.split('\n'));
  const required = good.split('\n').filter((line) => !line.startsWith('{"payload"'));
  return (
    good
      .split('\n')
      .filter((line) => lines.has(line))
      .join('\n') === text && required.every((line) => lines.has(line))
  );
}

function statuses(report: Report): { [id in CheckId]?: string } {
  return Object.fromEntries(report.checks.map((check) => [check.id, check.status]));
}

/** The first check that failed: its id, its record, its code. */
function firstOf(report: Report): [CheckId | undefined, number, string] {
  const failed = report.checks.find((check) => check.status === 'fail');
  return [failed?.id, failed?.first?.run_seq ?? -1, failed?.first?.code ?? ''];
}

/** Another value of the same type, so that only its meaning is wrong. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string')
    return /^[0-9a-f]{64}$/.test(value) ? `${value.slice(1)}${value[0] === 'a' ? 'b' : 'a'}` : `${value}x`;
  const [name, first] = Object.entries(value as { [name: string]: unknown })[0] ?? ['x', 0];
  return Array.isArray(value) ? [...(value as unknown[]), 1] : { ...(value as object), [name]: other(first) };
}

function textsOf({ batches }: SampleRun): string[] {
  return batches.flatMap((batch) => batch.records.map((link) => link.text));
}

function exported(sample: SampleRun): string {
  return formatExport(
    sample.run_id,
    textsOf(sample),
    sample.batches.flatMap((batch) => batch.payloads),
  );
}

function recordAt(run_seq: number): LedgerRecord {
  return JSON.parse(texts[run_seq] as string) as LedgerRecord;
}

function foreign(run_seq: number): string {
  return textsOf(sampleRun(2, 10))[run_seq] as string;
}

function stamp(sample: SampleRun) {
  return { run_id: sample.run_id, epoch: 0, at: 1_700_000_000_000 };
}

/** The run with another clock from record n on and every hash made anew, as the owner of the database can do. */
function rewritten(n: number): string {
  let head = NO_RECORDS;
  const anew = texts.map((text, run_seq) => {
    const { kind, body, at } = JSON.parse(text) as LedgerRecord;
    const link = extend(head, { kind, body } as never, { ...stamp(run), at: run_seq < n ? at : at + 1 });
    head = headAfter(link.record);
    return link.text;
  });
  return formatExport(
    run.run_id,
    anew,
    run.batches.flatMap((batch) => batch.payloads),
  );
}

/** A configuration, and a task record for each of these payloads. */
function withTasks(
  refs: readonly { sha256: string; bytes: number }[],
  payloads: readonly { sha256: string; bytes: Uint8Array }[],
): string {
  let head = headAfter(recordAt(0));
  const tasks = refs.map((text) => {
    const link = extend(head, { kind: 'task', body: { text } }, stamp(run));
    head = headAfter(link.record);
    return link.text;
  });
  return formatExport(run.run_id, [texts[0] as string, ...tasks], payloads);
}

function payloadOf(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}

/** Drops the payload lines that no remaining record names. */
function onlyNamed(lines: readonly string[]): string {
  const records = lines.filter((line) => line.startsWith('{"at"')).join('\n');
  return lines
    .filter(
      (line) =>
        !line.startsWith('{"payload"') ||
        records.includes((JSON.parse(line) as { payload: { sha256: string } }).payload.sha256),
    )
    .join('\n');
}
