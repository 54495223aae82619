import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeText, sha256Hex, verifyExport } from '../../../../core/index.ts';
import { markup } from '../../../../web/playground/send/markup.ts';
import { formatReport } from '../../../../web/playground/send/report.ts';
import { durationText, timesOf } from '../../../../web/playground/send/step-times.ts';
import { spoken } from '../../texts/spoken.ts';

const HOSTILE = `</pre></style></script><script>alert(1)</script><img src=x onerror=alert(2)>"'\`&<a href=https://collect.example>\u202e`;

function reportOf(text: string): string {
  return formatReport(text, verifyExport(text));
}

/** The fixture with a hostile text in every member that is a text, in records and payloads. */
function poisoned(): string {
  const text = readFileSync('test/fixtures/behaviour-1/xct-completed.jsonl', 'utf8');
  const poison = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((each) => poison(each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, poison(member, key)]));
    return typeof value === 'string' && ['capability', 'model', 'text', 'origin'].includes(name) ? HOSTILE : value;
  };
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : JSON.stringify(poison(JSON.parse(line)))))
    .join('\n');
}

describe('a report', () => {
  it('a report shows task, steps, durations, questions, outcome, checks and head', () => {
    const text = readFileSync('test/fixtures/behaviour-1/xct-completed.jsonl', 'utf8');
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
    const asked = readFileSync('test/fixtures/behaviour-1/xct-aborted-while-asked.jsonl', 'utf8');
    expect(reportOf(asked)).toContain('needs approval');
  });

  it('a report in German names the checks and a fault in German, and keeps the English sentence of the fault', () => {
    spoken('de');
    const text = readFileSync('test/fixtures/behaviour-1/xct-completed.jsonl', 'utf8');
    const html = reportOf(text.replace(/"at":\d/u, '"at":9'));
    expect(html).toContain('Hashes: Kein Eintrag wurde verändert');
    expect(html).toMatch(/<p>Der Eintrag wurde verändert\. <span lang="en">Record \d+: /);
    expect(html).toMatch(/<p class="bad"><strong>Nicht intakt: /);
  });

  it('a report draws the times that the records tell, as a picture without script', () => {
    const html = reportOf(readFileSync('test/fixtures/behaviour-1/xct-completed.jsonl', 'utf8'));
    expect(html).toContain('<h2>Time</h2>');
    expect(html.match(/<svg class="bar" [^>]*role="img" aria-label="[^"]+"/g)?.length).toBe(
      html.match(/<section>/g)?.length,
    );
    expect(html).not.toMatch(/style="|<use|<image|url\(/);
  });

  it('a report has one policy, which permits its style alone', () => {
    const html = reportOf(readFileSync('test/fixtures/behaviour-1/xct-completed.jsonl', 'utf8'));
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    const hash = Buffer.from(sha256Hex(encodeText(style)), 'hex').toString('base64');
    expect(html).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    );
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style>'));
  });

  it('a report shows hostile texts as texts', () => {
    const html = reportOf(poisoned());
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<(?:script|img|a|link|iframe|form|base)\b/i);
    expect(html.match(/<\/style>/g)?.length).toBe(1);
    expect(html).not.toContain('\u202e');
  });

  it.each(['', 'x', '{}\n', '<script>'])('a report of a text that is no export is a page without steps: %#', (text) => {
    expect(reportOf(text)).toContain('<h2>0 steps</h2>');
  });

  it('markup escapes each value, and keeps markup within markup', () => {
    expect(String(markup`<p title="${HOSTILE}">${[markup`<b>${'<'}</b>`, markup`${1}`]}</p>`)).toMatch(
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
