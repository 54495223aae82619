import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeText, exportIn, formatHtml, parseExport, sha256Hex, verifyExport } from '../../../../core/index.ts';
import { reportedRun } from '../../../../web/playground/files/reported-run.ts';
import { markup } from '../../../../web/playground/send/markup.ts';
import { formatReport } from '../../../../web/playground/send/report.ts';
import { durationText, timesOf } from '../../../../web/playground/send/step-times.ts';
import { spoken } from '../../texts/spoken.ts';
import { hostileEverywhere, hostileExports, SCRIPT } from './hostile-exports.ts';

function reportOf(text: string): string {
  return formatReport(reportedRun(parseExport(text)), verifyExport(text));
}

const FIXTURES = ['asked', 'private', 'messages', 'log'] as const;

function fixture(name: string): string {
  return readFileSync(`test/vectors/exports/${name}.jsonl`, 'utf8');
}

/** A tag of the report with its attributes: none that loads, runs or styles. */
const TAG =
  /<(?:!doctype html|\/?(?:html|meta|title|style|main|h[1-4]|dl|dt|dd|p|pre|ol|ul|li|section|details|summary|svg|rect|div|span|b|strong)(?: (?:lang|charset|http-equiv|content|name|class|dir|role|aria-label|aria-hidden|viewBox|preserveAspectRatio|x|y|width|height)="[^"<>]*")*)>/gu;

/** Rest of a report between its tags. Of markup that is not the report's own, it has a bracket. */
function textOf(html: string): string {
  return html.replace(/<style>[^<]*<\/style>/u, '').replaceAll(TAG, '');
}

describe('a report', () => {
  it('a report shows task, steps, durations, questions, outcome, checks and head', () => {
    const text = fixture('whole');
    const html = reportOf(text);
    const { records, head } = verifyExport(text);
    for (const part of ['<h2>Task</h2><pre', '<h2>Outcome</h2><p class="good">completed', `${records}:${head}`])
      expect(html).toContain(part);
    expect(html.match(/<ol class="strip">/g)?.length).toBe(html.match(/<section>/g)?.length);
    expect(html).toMatch(
      /<li class="passed"><b>execute<\/b><span>✓ passed<\/span>(?:<span>\d+ ms<\/span>)?<span>fuel \d+<\/span>/,
    );
    expect(html.match(/<details><summary>Receipt/g)?.length).toBe(html.match(/<section>/g)?.length);
    expect(html).toContain('not run');
    expect(reportOf(fixture('asked'))).toContain('needs approval');
  });

  it('a report in German names the checks and a fault in German, and keeps the English sentence of the fault', () => {
    spoken('de');
    const text = fixture('whole');
    const html = reportOf(text.replace(/"at":\d/u, '"at":9'));
    expect(html).toContain('Hashes: Kein Eintrag wurde verändert');
    expect(html).toMatch(/<p>Der Eintrag wurde verändert\. <span lang="en">Record \d+: /);
    expect(html).not.toContain('The record was altered.');
    expect(html).toMatch(/<p class="bad"><strong>Nicht intakt: /);
  });

  it('a report tells its dates in the form of its language, with the zone', () => {
    spoken('en');
    const text = fixture('asked');
    expect(reportOf(text)).toMatch(/<dt>Began<\/dt><dd>Jan 1, 2026, 12:00:00 PM UTC<\/dd>/u);
    expect(reportOf(text)).toMatch(/<li>Jan 1, 2026, 12:00:03 PM UTC · Step 1: /u);
    spoken('de');
    expect(reportOf(text)).toContain('<dt>Begonnen</dt><dd>01.01.2026, 12:00:00 UTC</dd>');
    const far = text.replaceAll(/"at":\d+/gu, '"at":8640000000000001');
    expect(reportOf(far)).toContain('<dd>8640000000000001</dd>');
  });

  it('the frame of an approval tells how long the person took', () => {
    const html = reportOf(fixture('asked'));
    expect(html).toMatch(/<li class="passed"><b>approve<\/b><span>✓ passed<\/span><span>2\.5 s<\/span><\/li>/u);
  });

  it('a report draws the times that the records tell, as a picture without script', () => {
    const html = reportOf(fixture('whole'));
    expect(html).toContain('<h2>Time</h2>');
    expect(html.match(/<svg class="bar" [^>]*role="img" aria-label="[^"]+"/g)?.length).toBe(
      html.match(/<section>/g)?.length,
    );
    expect(html).not.toMatch(/style="|<use|<image|url\(/);
  });

  it('a report has one policy, which permits its style alone', () => {
    const html = reportOf(fixture('whole'));
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    const hash = Buffer.from(sha256Hex(encodeText(style)), 'hex').toString('base64');
    expect(html).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    );
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style>'));
  });

  it('a report has a script in any text and any name of a stranger as text', () => {
    const places = new Set<string>();
    for (const { place, text } of FIXTURES.flatMap((name) => [...hostileExports(fixture(name))])) {
      places.add(place);
      const html = reportOf(text);
      expect(/.{0,80}[<>].{0,80}/su.exec(textOf(html))?.[0], place).toBeUndefined();
      expect(html.match(/<meta http-equiv/gu), place).toHaveLength(1);
    }
    for (const place of [
      'configuration /model',
      'configuration /remote',
      'decision /capability',
      'approval /nonce',
      'consent /origin',
      'power /power',
      'receipt /evidence/powers/#/power',
      'receipt /receipt/outputs/count~',
      'log /files/#/path',
      'payload /text',
    ])
      expect([...places]).toContain(place);
  });

  it('a report shows scripts, and a page with an export has none of their text', () => {
    const hostile = hostileEverywhere(fixture('private'));
    expect(reportOf(hostile)).toContain('&lt;script&gt;globalThis.pwned=1&lt;/script&gt;');
    const page = formatHtml(hostile, { script: '', style: '' });
    expect(page).not.toContain('pwned');
    expect(exportIn(page)).toBe(hostile);
  });

  it('a report writes out an invisible character', () => {
    const html = reportOf(fixture('whole').replaceAll('"model":"script"', '"model":"a\u202eb"'));
    expect(html).toContain('<dd>a');
    expect(html).not.toContain('\u202e');
  });

  it.each(['', 'x', '{}\n', '<script>'])('a report of a text that is no export is a page without steps: %#', (text) => {
    expect(reportOf(text)).toContain('<h2>0 steps</h2>');
  });

  it('markup escapes each value, and keeps markup within markup', () => {
    expect(String(markup`<p title="${SCRIPT}">${[markup`<b>${'<'}</b>`, markup`${1}`]}</p>`)).toMatch(
      /^<p title="[^"<>]*"><b>&lt;<\/b>1<\/p>$/,
    );
  });

  it('a duration is told in ms, seconds or minutes, and a clock that was set back counts as no time', () => {
    expect([0, 999, 1_250, 59_999, 65_400].map(durationText)).toEqual([
      '0 ms',
      '999 ms',
      '1.3 s',
      '60.0 s',
      '1 min 5 s',
    ]);
    const record = (kind: string, at: number) => ({ kind, at, body: { event: 'asked' } }) as never;
    expect(
      timesOf([record('proposal', 50), record('verdict', 40), record('observation', 90)], record('task', 20)),
    ).toEqual({
      proposalMs: 30,
      gatesMs: { verdict: 0, execute: 40 },
      totalMs: 40,
    });
  });

  it('the clock of a decision tells the time of a call whose records were written together', () => {
    const records = ['proposal', 'verdict', 'decision', 'observation', 'receipt'].map((kind) => ({
      ...{ kind, at: 90 },
      body: { now: 60 },
    })) as never;
    expect(timesOf(records, { at: 20 } as never)).toEqual({
      proposalMs: 40,
      gatesMs: { verdict: 0, authorize: 0, execute: 30, receipt: 0 },
      totalMs: 30,
    });
  });
});
