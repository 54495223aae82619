/** The script of a run that was exported as a page: no network, no library, and no content of the run as markup. */
import {
  type Check,
  comparedText,
  decodeForCheck,
  type ExportFile,
  exportIn,
  type Finding,
  findingText,
  type LedgerRecord,
  packedIn,
  parseSlices,
  payloadRefs,
  sentenceOf,
  unprovenText,
  unsalted,
  verdictOf,
  verifySlices,
  visibleText,
  type WorkSlices,
} from '../../core/index.ts';
import { EXPORT_BYTES_MAX, unpack } from '../../workers/unpack.ts';
import { fill } from '../texts/fill.ts';
import type { PageWords } from './page-words.ts';
import { type StoryLine, storyOf } from './story.ts';

/** Set by the statement before this script. */
declare const sallyportWords: PageWords;
const words = sallyportWords;
document.documentElement.lang = words.language;
document.title = words.title;

const MARKS = { pass: '✓', fail: '✕', not_run: '–' } as const;

/** Strangers' text enters the page only here, and only as text: invisible characters are written out. */
function element(name: string, content: string, className = ''): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: visibleText(content), className });
}

const counted = (number: number): string => number.toLocaleString(words.language);

/** ms of work between two drawings. */
const SLICE_MS = 40;

/** Does all slices and lets the page draw between them. */
async function inSlices<T>(slices: WorkSlices<T>, tell: (share: number) => void): Promise<T> {
  let began = performance.now();
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
    if (performance.now() - began < SLICE_MS) continue;
    tell(next.value);
    await pause();
    began = performance.now();
  }
}

function pause(): Promise<void> {
  return new Promise((over) => setTimeout(over));
}

/** The export in this page; of a packed one what its bytes unfold to: nothing where they are damaged, or unfold too far. */
async function exportOfPage(): Promise<string> {
  const page = `<!doctype html>${document.getElementById('export')?.outerHTML ?? ''}`;
  const packed = packedIn(page);
  if (packed === undefined) return exportIn(page);
  const bytes = await unpack(packed, 'gzip', EXPORT_BYTES_MAX);
  return typeof bytes === 'string' ? '' : decodeForCheck(bytes);
}

async function show(file: ExportFile, given: string, tell: (share: number) => void): Promise<readonly HTMLElement[]> {
  const held = given.trim() === '' ? {} : { anchor: given };
  const report = await inSlices(verifySlices(file, held), tell);
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
  const amount = status === 'not_run' ? (NEEDS_MORE.has(id) ? words.notInPage : words.notRun) : counted(count);
  const item = element('li', `${MARKS[status]} ${words.checks[id]} (${amount})`, status);
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

/** Items that are added between two drawings. */
const ITEMS = 500;

/** Adds an item for each, and lets the page draw between them. */
async function fillList<T>(
  all: HTMLOListElement,
  values: readonly T[],
  itemOf: (value: T) => HTMLElement,
): Promise<void> {
  for (let from = 0; from < values.length; from += ITEMS) {
    all.append(...values.slice(from, from + ITEMS).map(itemOf));
    await pause();
  }
}

function recordItem(file: ExportFile, record: LedgerRecord): HTMLElement {
  const item = document.createElement('li');
  const details = document.createElement('details');
  details.append(element('summary', `${record.kind} ${record.hash.slice(0, 12)}…`));
  details.addEventListener('toggle', () => details.append(...inFull(file, record)), { once: true });
  item.append(details);
  return item;
}

/** The record, and the payloads it names. */
function inFull(file: ExportFile, record: LedgerRecord): readonly HTMLElement[] {
  const whole = JSON.stringify(record, undefined, 2);
  const decoder = new TextDecoder();
  const refs = new Map(payloadRefs(record).map((ref) => [ref.sha256, ref]));
  const named = [...refs].flatMap(([sha256, ref]) => {
    const bytes = file.payloads.get(sha256);
    return bytes === undefined ? [] : [`${sha256}\n${decoder.decode(unsalted(ref, bytes))}`];
  });
  return [whole, ...named].map((each) => element('pre', each));
}

function storyItem({ time, what }: StoryLine): HTMLElement {
  return element('li', `${time}  ${what}`);
}

/** The heading is there at once; the checks, the story and the records follow. */
async function draw(): Promise<void> {
  const main = document.querySelector('main');
  const result = document.createElement('section');
  const heading = element('h1', words.checking);
  const progress = Object.assign(document.createElement('progress'), { max: 1, value: 0 });
  result.append(heading, progress);
  main?.append(result);
  await pause();
  const text = await exportOfPage();
  const half = (from: number) => (share: number) => void (progress.value = from + share / 2);
  const file = await inSlices(parseSlices(text), half(0));
  const records = file.records.flatMap((line) => (line === undefined ? [] : [line.record]));
  result.replaceChildren(...(await show(file, '', half(0.5))));

  const label = element('label', words.headField);
  const input = document.createElement('textarea');
  input.rows = 2;
  let typed = 0;
  input.addEventListener('input', () => {
    typed += 1;
    const mine = typed;
    void show(file, input.value, () => undefined).then((shown) => {
      if (mine === typed) result.replaceChildren(...shown);
      return undefined;
    });
  });
  label.append(input);
  main?.append(label, element('p', words.elsewhere));
  const rows = storyOf(words.story, records, ({ sha256 }) => file.payloads.get(sha256));
  const story = Object.assign(document.createElement('ol'), { className: 'story' });
  const all = Object.assign(document.createElement('ol'), { start: 0 });
  if (rows.length > 0) main?.append(element('h2', words.happened), story);
  main?.append(element('h2', words.records), all);
  await fillList(story, rows, storyItem);
  await fillList(all, records, (record) => recordItem(file, record));
}

void draw();
