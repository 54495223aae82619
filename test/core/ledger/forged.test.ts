import { describe, expect, test } from 'vitest';
import { formatExport, type LedgerRecord, parseExport, type Report, verifyExport } from '../../../core/index.ts';
import { type Forged, forge, forgeTexts } from './forge.ts';
import { sampleRun } from './sample.ts';

/** Each record in this file has right hashes: only form and links distinguish it from a real record. */
const { run_id, batches } = sampleRun(1, 2);
const good: readonly Forged[] = batches.flatMap((batch) =>
  batch.records.map(({ record: { kind, body } }) => ({ kind, body })),
);
const at = (kind: string): number => good.findIndex((record) => record.kind === kind);

const failed = (report: Report): string[] =>
  report.checks.filter((check) => check.status === 'fail').map((check) => check.id);
const placed = (report: Report): (number | undefined)[] =>
  report.checks.filter((check) => check.status === 'fail').map((check) => check.first?.run_seq);
const changed = (n: number, change: (record: Forged) => Forged): Forged[] =>
  good.map((record, index) => (index === n ? change(record) : record));
const withBody = (n: number, change: (body: never) => unknown): Forged[] =>
  changed(n, (record) => ({ ...record, body: change(record.body as never) }));

test('forge makes a run that verifies when no record was changed', () => {
  expect(verifyExport(forge(run_id, good)).ok).toBe(true);
});

describe('another spelling of the same record fails the form', () => {
  const [text = ''] = forgeTexts(run_id, good);
  const spellings: readonly [string, string][] = [
    ['a blank', text.replace(',"body_hash"', ', "body_hash"')],
    ['a member twice', text.replace('{"at":1,', '{"at":1,"at":1,')],
    [
      'another order',
      `{"body_hash":${text.split('"body_hash":')[1]?.slice(0, 66)},${text.slice(1).replace(/"body_hash":"[0-9a-f]{64}",/, '')}`,
    ],
    ['an escape', text.replace('"configuration"', '"\\u0063onfiguration"')],
    ['another number', text.replace('"epoch":0', '"epoch":0.0')],
    ['minus zero', text.replace('"epoch":0', '"epoch":-0')],
    ['an exponent', text.replace('"at":1', '"at":1e0')],
    ['a carriage return', `${text}\r`],
    ['a byte order mark', `\ufeff${text}`],
    ['another body before its own', text.replace('"body":', '"body":{},"body":')],
    ['its time once more behind its body', text.replace(',"body_hash"', ',"at":1,"body_hash"')],
    ['a blank in its body', text.replace('"body":{', '"body":{ ')],
    ['another order in its body', text.replace(/"body":\{("behaviour":\d+),("[a-z]+":\{[^}]*\})/, '"body":{$2,$1')],
    ['an unknown member', text.replace(',"body_hash"', ',"body2":1,"body_hash"')],
    ['a member named __proto__', text.replace('{"at"', '{"__proto__":1,"at"')],
  ];
  test.each(spellings)('a record spelled with %s fails the form of its run', (_, spelling) => {
    expect(spelling).not.toBe(text);
    const report = verifyExport(formatExport(run_id, forgeTexts(run_id, good), []).replace(text, spelling));
    expect([failed(report)[0], placed(report)[0]]).toEqual(['form', 0]);
  });
});

describe('a false place of a record in its run breaks the links, and only the links', () => {
  const cases: readonly [string, Forged][] = [
    ['a number left out', { ...(good[5] as Forged), run_seq: 6 }],
    ['a number twice', { ...(good[5] as Forged), run_seq: 4 }],
    ['a record before the last as its predecessor', { ...(good[5] as Forged), prev: hashOfRecord(3) }],
    ['no predecessor', { ...(good[5] as Forged), prev: '0'.repeat(64) }],
    ['another run', { ...(good[5] as Forged), run_id: sampleRun(2, 0).run_id }],
  ];
  test.each(cases)('the links break at a record with %s', (_, record) => {
    const report = verifyExport(
      forge(
        run_id,
        changed(5, () => record),
      ),
    );
    // A receipt that names another run would fail the form; the record here is not a receipt.
    expect([failed(report), placed(report)]).toEqual([['links'], [5]]);
  });

  test('a record behind a seal breaks the links, except the next task of a completed run', () => {
    const paused = { kind: 'state', body: { event: 'resumed' } };
    const task = good[at('task')] as Forged;
    const aborted = changed(good.length - 1, (seal) => ({ ...seal, body: { state: 'aborted', steps: 2 } }));
    expect(verifyExport(forge(run_id, [...good, task, paused])).ok).toBe(true);
    for (const late of [
      [...good, paused],
      [...good, task, ...good.slice(-1), paused],
      [...aborted, task],
      [...aborted, paused],
    ]) {
      const report = verifyExport(forge(run_id, late));
      expect([failed(report), placed(report)]).toEqual([['links'], [late.length - 1]]);
    }
  });

  test('a record of an earlier epoch breaks the links, and a later epoch does not', () => {
    const later = good.map((record, index) => ({ ...record, epoch: index < 5 ? 1 : 0 }));
    expect([failed(verifyExport(forge(run_id, later))), placed(verifyExport(forge(run_id, later)))]).toEqual([
      ['links'],
      [5],
    ]);
    const grown = good.map((record, index) => ({ ...record, epoch: index < 5 ? 0 : 1 }));
    expect(verifyExport(forge(run_id, grown)).ok).toBe(true);
  });
});

describe('a body that does not fit its kind fails the form, even with a right hash', () => {
  for (const [n, { kind, body }] of good.entries()) {
    if (n !== at(kind)) continue;
    for (const name of Object.keys(body as object)) {
      test(`a ${kind} with ${name} null or of another type fails the form`, () => {
        for (const value of [null, [[]], { x: 1 }, 'Not a word', -1, 0.5]) {
          if (name === 'model' && typeof value === 'string') continue;
          if (name === 'capability' && typeof value === 'string') continue;
          const report = verifyExport(
            forge(
              run_id,
              withBody(n, (old: object) => ({ ...old, [name]: value })),
            ),
          );
          expect([failed(report)[0], placed(report)[0]], JSON.stringify(value)).toEqual(['form', n]);
        }
      });
    }
    test(`a ${kind} with an unknown member fails the form`, () => {
      const report = verifyExport(
        forge(
          run_id,
          withBody(n, (old: object) => ({ ...old, extra: 1 })),
        ),
      );
      expect([failed(report)[0], placed(report)[0]]).toEqual(['form', n]);
    });
  }

  test('a record of an unknown kind fails the form', () => {
    for (const kind of ['unknown', 'toString', '__proto__', '']) {
      expect(
        failed(
          verifyExport(
            forge(
              run_id,
              changed(3, (record) => ({ ...record, kind })),
            ),
          ),
        )[0],
      ).toBe('form');
    }
  });
});

describe('an incomplete receipt fails the form, even with a right hash', () => {
  const n = at('receipt');
  const withReceipt = (change: (receipt: { [name: string]: unknown }) => unknown): Report =>
    verifyExport(
      forge(
        run_id,
        withBody(n, (body: { receipt: { [name: string]: unknown } }) => ({ ...body, receipt: change(body.receipt) })),
      ),
    );
  const { receipt } = (good[n] as Forged).body as { receipt: { [name: string]: unknown } };

  test.each(Object.keys(receipt))('a receipt without its %s fails the form', (name) => {
    const report = withReceipt((whole) => Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name)));
    expect([failed(report)[0], placed(report)[0]]).toEqual(['form', n]);
  });

  test('a receipt of another run fails the form', () => {
    const report = withReceipt((whole) => ({ ...whole, run_id: sampleRun(2, 0).run_id }));
    expect([failed(report)[0], placed(report)[0]]).toEqual(['form', n]);
  });
});

function hashOfRecord(n: number): string {
  return (JSON.parse(forgeTexts(run_id, good)[n] as string) as LedgerRecord).hash;
}

describe('a file that would take very long to read', () => {
  test.each<[string, string]>([
    ['ten million line feeds', '\n'.repeat(10_000_000)],
    ['a million lines that are no records', `${'x'.repeat(60)}\n`.repeat(1_000_000)],
    [
      'a million payloads that are none',
      `{"format":"sallyport-export/1","run_id":"system"}\n${`{"payload":{"a":"${'x'.repeat(40)}"}}\n`.repeat(400_000)}`,
    ],
  ])('a file of %s is given up after a thousand faults', (_what, text) => {
    const file = parseExport(text);
    expect(file.faults.length).toBeLessThan(1_010);
    expect(file.records.length).toBeLessThan(1_010);
    expect(file.faults.map(({ message }) => message).join('\n')).toMatch(/more lines than|too much of it/);
    expect(verifyExport(text).checks[0]).toMatchObject({ id: 'form', status: 'fail' });
  });
});
