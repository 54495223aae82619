/** The script of a run that was exported as a page: no network, no library, and no content of the run as markup. */
import {
  type Check,
  comparedText,
  exportIn,
  type Finding,
  findingText,
  parseExport,
  payloadRefs,
  sentenceOf,
  unprovenText,
  unsalted,
  verdictOf,
  verifyExport,
  visibleText,
} from '../../core/index.ts';
import { fill } from '../texts/fill.ts';
import type { PageWords } from './page-words.ts';
import { storyOf } from './story.ts';

/** Set by the statement before this script. */
declare const sallyportWords: PageWords;
const words = sallyportWords;
document.documentElement.lang = words.language;
document.title = words.title;

const MARKS = { pass: '✓', fail: '✕', not_run: '–' } as const;

const text = exportIn(`<!doctype html>${document.getElementById('export')?.outerHTML ?? ''}`);
const file = parseExport(text);
const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));

/** Strangers' text enters the page only here, and only as text: invisible characters are written out. */
function element(name: string, content: string, className = ''): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: visibleText(content), className });
}

const counted = (number: number): string => number.toLocaleString(words.language);

function show(given: string): readonly HTMLElement[] {
  const held = given.trim() === '' ? {} : { anchor: given };
  const report = verifyExport(text, held);
  const verdict = verdictOf(report, held);
  const checks = document.createElement('ul');
  checks.append(...report.checks.map(line));
  const heading = element('h1', sentenceOf(verdict, words.verdicts, counted), verdict.tone);
  const compared = comparedText(verdict, words.verdicts, counted).map((each) => element('p', each, 'mono'));
  const unproven = unprovenText(verdict, words.verdicts);
  const head = report.ok
    ? [element('p', fill(words.head, { records: report.records, head: report.head }), 'mono')]
    : [];
  return [heading, checks, ...compared, ...head, ...(unproven === undefined ? [] : [element('p', unproven)])];
}

function line({ id, status, count, first, skipped }: Check): HTMLElement {
  const counted = status === 'not_run' ? (NEEDS_MORE.has(id) ? words.notInPage : words.notRun) : String(count);
  const item = element('li', `${MARKS[status]} ${words.checks[id]} (${counted})`, status);
  if (first !== undefined) item.append(fault(findingText(id, first), first));
  if (skipped !== undefined) item.append(fault(skipped.first.message, skipped.first));
  return item;
}

/** An English sentence of a finding; on a page in another language, its place and its code's meaning before it. */
function fault(english: string, { run_seq, code, message }: Finding): HTMLElement {
  const gist = words.gists[code];
  if (gist === undefined) return element('p', english);
  const place = english === message ? '' : fill(words.record, { seq: run_seq });
  const item = element('p', `${place}${gist} `);
  item.append(Object.assign(element('span', english), { lang: 'en' }));
  return item;
}

const NEEDS_MORE: ReadonlySet<string> = new Set(['decisions', 'replay']);

function list(): HTMLElement {
  const all = document.createElement('ol');
  all.start = 0;
  for (const record of records) {
    const item = document.createElement('li');
    const details = document.createElement('details');
    details.append(element('summary', `${record.kind} ${record.hash.slice(0, 12)}…`));
    details.addEventListener('toggle', () => details.append(...inFull(record)), { once: true });
    item.append(details);
    all.append(item);
  }
  return all;
}

/** The record, and the payloads it names. */
function inFull(record: (typeof records)[number]): readonly HTMLElement[] {
  const whole = JSON.stringify(record, undefined, 2);
  const decoder = new TextDecoder();
  const refs = new Map(payloadRefs(record).map((ref) => [ref.sha256, ref]));
  const named = [...refs].flatMap(([sha256, ref]) => {
    const bytes = file.payloads.get(sha256);
    return bytes === undefined ? [] : [`${sha256}\n${decoder.decode(unsalted(ref, bytes))}`];
  });
  return [whole, ...named].map((each) => element('pre', each));
}

const result = document.createElement('section');
result.append(...show(''));
const label = element('label', words.headField);
const input = document.createElement('textarea');
input.rows = 2;
input.addEventListener('input', () => result.replaceChildren(...show(input.value)));
label.append(input);
const elsewhere = element('p', words.elsewhere);
/** The requests, their times, and the end of each step, for people without knowledge of records. */
function story(): readonly HTMLElement[] {
  const rows = storyOf(words.story, records, ({ sha256 }) => file.payloads.get(sha256));
  if (rows.length === 0) return [];
  const items = document.createElement('ol');
  items.className = 'story';
  items.append(
    ...rows.map(({ at, what }) =>
      element('li', `${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC  ${what}`),
    ),
  );
  return [element('h2', words.happened), items];
}

document.querySelector('main')?.append(result, label, elsewhere, ...story(), element('h2', words.records), list());
