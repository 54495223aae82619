import { describe, expect, test } from 'vitest';
import {
  anchorFault,
  anchorOf,
  type CheckId,
  formatExport,
  type Report,
  sentenceOf,
  VERDICT_WORDS,
  verdictOf,
  verifyExport,
} from '../../../core/index.ts';
import { sampleRun } from './sample.ts';

const { run_id, batches } = sampleRun(1, 4);
const payloads = batches.flatMap((batch) => batch.payloads);
const texts = batches.flatMap(({ records }) => records.map(({ text }) => text));
const good = formatExport(run_id, texts, payloads);
const { records: count, head, root } = verifyExport(good);

const toneOf = (report: Report) => verdictOf(report).tone;
const saidOf = (report: Report) => sentenceOf(verdictOf(report), VERDICT_WORDS, String);
const statuses = ({ checks }: Report) => checks.map(({ status }) => status).join(' ');
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);

describe('the verdict', () => {
  test('the verdict is good only when the noted head is given', () => {
    const alone = verifyExport(good);
    expect([alone.ok, toneOf(alone)]).toEqual([true, 'wait']);
    expect(saidOf(alone)).toBe(
      `No check failed over ${count} records. Its origin is unknown: no head from elsewhere was given.`,
    );
    const anchored = verifyExport(good, { anchor: { count, head } });
    expect(toneOf(anchored)).toBe('good');
    expect(saidOf(anchored)).toBe(
      `No check failed over ${count} records, and the head is the one that was kept elsewhere.`,
    );
  });

  test.each([
    `${count}:${head}`,
    head,
    ` ${head}\n`,
    head.toUpperCase(),
    `${count}:${head.toUpperCase()}`,
    `sha256:${head}`,
    `head  ${count}:${head}`,
    `head  ${count}:${head}\nroot  ${root}`,
    `root  ${root}`,
  ])('the verdict reads a head in the forms in which people copy it: %j', (anchor) => {
    expect(anchorFault(anchor)).toBe(undefined);
    expect(anchorOf(anchor, [])).toBeDefined();
    expect(toneOf(verifyExport(good, { anchor }))).toBe('good');
  });

  test.each([
    ['hello', /neither COUNT:HEAD/],
    [head.slice(1), /63 hex digits, and a head has 64/],
    [`${count}:${head}0`, /65 hex digits/],
    [`${count}:`, /neither/],
    [`-1:${head}`, /neither/],
    ['sallyport.local\n21\nabc', /no checkpoint as it was saved/],
    ['', /neither/],
  ])('the verdict is bad for a head that cannot be read, and gives the reason: %j', (anchor, why) => {
    expect(anchorFault(anchor)).toMatch(why);
    expect(anchorOf(anchor, [])).toBe(undefined);
    const report = verifyExport(good, { anchor });
    expect([report.ok, toneOf(report), check(report, 'anchor')?.first?.code]).toEqual([
      false,
      'bad',
      'anchor_malformed',
    ]);
    expect(check(report, 'anchor')?.first?.message).toMatch(why);
    expect(saidOf(report)).toContain('cannot be read');
  });

  test('the verdict is bad when the head is that of another run', () => {
    const report = verifyExport(good, { anchor: `${count}:${'0'.repeat(64)}` });
    expect([toneOf(report), check(report, 'anchor')?.first?.code]).toEqual(['bad', 'anchor_disagrees']);
    expect(saidOf(report)).toBe('Consistent, but not the run you expected.');
  });
});

describe('a file that was cut off', () => {
  const lines = good.split('\n');

  test.each([1, 5, texts.length])('an export cut behind line %i says where it stops and blames no record', (kept) => {
    const report = verifyExport(`${lines.slice(0, kept + 1).join('\n')}\n`);
    expect(report.records).toBe(kept);
    expect(statuses(report)).toBe('fail pass fail not_run not_run not_run');
    for (const id of ['form', 'links'] as const)
      expect([check(report, id)?.first?.code, check(report, id)?.first?.run_seq]).toEqual(['export_cut', kept]);
    expect(saidOf(report)).toBe(`Cut off: records 0 to ${kept - 1} are intact, and what came behind them is missing.`);
  });

  test('an export cut in the middle of a line keeps all records before that line', () => {
    for (const at of [1, 40, 200]) {
      const whole = `${lines.slice(0, 6).join('\n')}\n`;
      const report = verifyExport(whole + (lines[6] ?? '').slice(0, at));
      expect([report.records, saidOf(report)]).toEqual([
        5,
        'Cut off: records 0 to 4 are intact, and what came behind them is missing.',
      ]);
    }
  });

  test('an export with CR LF is no export, and the finding says why', () => {
    const report = verifyExport(`${lines.join('\r\n')}\r\n`);
    expect(check(report, 'form')?.first).toMatchObject({ code: 'export_absent' });
    expect(check(report, 'form')?.first?.message).toContain('its lines end in CR LF');
  });

  test('an export that is cut and altered is judged altered', () => {
    const report = verifyExport(`${lines.slice(0, 9).join('\n')}\n`.replace('"accepted":true', '"accepted":false'));
    expect(saidOf(report)).toMatch(/^Not intact: first problem at record 3 of 8/);
  });
});

test.each(['', '\n', '{}', 'x'.repeat(99), '# Read me\n\nHello.\n', '{"a":1}\n{"b":2}\n', 'PK\u0003\u0004'])(
  'a file that is no export yields export_absent and no other check: %j',
  (text) => {
    const report = verifyExport(text, { anchor: { count, head } });
    expect(statuses(report)).toBe('fail not_run not_run not_run not_run not_run');
    expect(check(report, 'form')?.first?.code).toBe('export_absent');
    expect([report.records, saidOf(report)]).toEqual([0, 'This file is no export of a run.']);
  },
);
