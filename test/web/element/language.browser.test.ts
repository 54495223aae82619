import { afterEach, beforeAll, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { languageAt } from '../../../web/element/language.ts';
import { RunElement } from '../../../web/element/run.ts';
import { DEFAULT_WORDS } from '../../../web/element/words.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class TestRun extends RunElement {}

beforeAll(() => {
  // The browser of the tests speaks English.
  expect(navigator.language).toMatch(/^en/u);
  customElements.define('test-run', TestRun);
});

afterEach(() => {
  document.documentElement.removeAttribute('lang');
  document.body.replaceChildren();
});

/** The body with this markup, and the element in it. */
function page(markup: string): RunElement {
  document.body.innerHTML = markup;
  return document.body.querySelector('test-run') as RunElement;
}

const stepOf = (run: RunElement) => run.shadowRoot?.querySelector('[part=step]')?.textContent;
const langOf = (run: RunElement) => run.shadowRoot?.firstElementChild?.getAttribute('lang');

test.each([
  ['<test-run></test-run>', 'en'],
  ['<test-run lang="de"></test-run>', 'de'],
  ['<main lang="de-AT"><p><test-run></test-run></p></main>', 'de'],
  ['<main lang="de"><p lang="en"><test-run></test-run></p></main>', 'en'],
  ['<main lang="de"><test-run lang="en-GB"></test-run></main>', 'en'],
  // A language that the element lacks, and an unknown one: the browser's.
  ['<main lang="de"><test-run lang="fr"></test-run></main>', 'en'],
  ['<main lang=""><test-run></test-run></main>', 'en'],
])('the language at %s is %s', (markup, language) => {
  expect(languageAt(page(markup))).toBe(language);
});

test('an element in a shadow root has the language of the host', () => {
  document.body.innerHTML = '<main lang="de"><div></div></main>';
  const root = document.querySelector('div')?.attachShadow({ mode: 'closed' });
  const run = document.createElement('test-run');
  root?.append(run);
  expect(languageAt(run)).toBe('de');
});

test('an element on a German page is drawn in German at once, and labelled', async () => {
  document.documentElement.lang = 'de';
  const run = page('<test-run></test-run>');
  const drawn: unknown[] = [];
  new MutationObserver(() => drawn.push(stepOf(run))).observe(run.shadowRoot ?? run, {
    childList: true,
    subtree: true,
  });
  await run.updateComplete;
  expect(stepOf(run)).toBe('Schritt');
  expect(langOf(run)).toBe('de');
  await Promise.resolve();
  expect(drawn).not.toContain('Step');
  expect(run.shadowRoot?.querySelector('[part=gate]')?.getAttribute('aria-label')).toBe('parse: steht bevor');
});

test('an element follows a later change of the language around it', async () => {
  const run = page('<main><test-run></test-run></main>');
  await run.updateComplete;
  expect(stepOf(run)).toBe('Step');
  run.parentElement?.setAttribute('lang', 'de');
  await expect.poll(() => stepOf(run)).toBe('Schritt');
  document.body.append(run);
  await expect.poll(() => stepOf(run)).toBe('Step');
  expect(langOf(run)).toMatch(/^en/u);
});

test('two elements on a page speak two languages', async () => {
  document.body.innerHTML = '<test-run lang="de"></test-run><test-run></test-run>';
  const [german, english] = [...document.querySelectorAll('test-run')] as RunElement[];
  await Promise.all([german?.updateComplete, english?.updateComplete]);
  const heard = [german, english].map((run) => run?.shadowRoot?.querySelector('[part=verdict]')?.textContent);
  expect(heard).toEqual(['Bereit', 'Ready']);
});

test('words of the page stay in every language, without a label', async () => {
  const run = document.createElement('test-run') as RunElement;
  run.words = { ...DEFAULT_WORDS, step: 'Vorwärts' };
  run.lang = 'de';
  document.body.append(run);
  await run.updateComplete;
  await expect.poll(() => stepOf(run)).toBe('Vorwärts');
  expect(langOf(run)).toBeNull();
});

test('a word that the table of a page lacks is English', async () => {
  const run = document.createElement('test-run') as RunElement;
  const { gate_ahead, ...older } = DEFAULT_WORDS;
  run.words = older as typeof DEFAULT_WORDS;
  document.body.append(run);
  await run.updateComplete;
  expect(run.words).toEqual(DEFAULT_WORDS);
  expect(run.shadowRoot?.textContent).not.toContain('undefined');
  expect(run.shadowRoot?.innerHTML).toContain(gate_ahead);
});

test('the list stays at its newest record when the element narrows or changes its language', async () => {
  const run = page('<test-run></test-run>');
  run.records = Array.from({ length: 60 }, (_, run_seq) => {
    return { run_seq, kind: 'task', body: { text: { size: 12 } } } as unknown as LedgerRecord;
  });
  await run.updateComplete;
  const list = run.shadowRoot?.querySelector('.records');
  const rest = () => (list ? list.scrollHeight - list.clientHeight - list.scrollTop : Number.NaN);
  expect(list?.scrollTop).toBeGreaterThan(0);
  run.style.inlineSize = '200px';
  await expect.poll(rest).toBeLessThan(2);
  list?.scrollTo({ top: 0 });
  run.lang = 'de';
  await expect.poll(() => stepOf(run)).toBe('Schritt');
  await expect.poll(rest).toBeLessThan(2);
});
