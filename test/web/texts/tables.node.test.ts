import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AREAS, type AreaName } from '../../../web/texts/area.ts';
import { de } from '../../../web/texts/de/index.ts';
import { SAME } from './same-words.ts';
import { spoken } from './spoken.ts';

type Path = string;
type Leaf = string | ((...values: unknown[]) => unknown);

const FOLDER = 'web/texts/en';
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));

/** Each English table with the name of its area: a file exports the function `auditView` for the area `audit-view`. */
const english = new Map<string, () => object>();
for (const file of files) {
  const module = (await import(`../../../web/texts/en/${file}`)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(module))
    if (typeof value === 'function')
      english.set(
        name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`),
        value as () => object,
      );
}

function englishOf(name: AreaName): object {
  spoken('en');
  return english.get(name)?.() ?? {};
}

/** Each text of a table, by its path. */
function leavesOf(table: object, path: Path = ''): readonly (readonly [Path, Leaf])[] {
  return Object.entries(table).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? leavesOf(value, `${path}${name}.`)
      : [[`${path}${name}`, value as Leaf] as const],
  );
}

const shapeOf = (leaf: Leaf): string => (typeof leaf === 'function' ? `${leaf.length} values` : typeof leaf);

/** A value that stands for a number, a text, a list and an object at once. */
const SAMPLE: unknown = new Proxy(() => undefined, {
  get: (_, name) => {
    if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 2 : '◊');
    if (name === Symbol.iterator) return () => ['◊'].values();
    if (name === 'length') return 2;
    return name === 'join' ? () => '◊' : SAMPLE;
  },
});

/** The words of a text, with samples for its values and without markup. */
function wordsOf(leaf: Leaf): string {
  return textOf(typeof leaf === 'function' ? leaf(...Array.from({ length: leaf.length }, () => SAMPLE)) : leaf);
}

function textOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return said.map(textOf).join('');
  const isTemplate = typeof said === 'object' && said !== null && 'strings' in said;
  if (!isTemplate) return '◊';
  const { strings, values } = said as unknown as { readonly strings: readonly string[]; readonly values: unknown[] };
  const whole = strings.map((text, nth) => (nth === 0 ? text : `${textOf(values[nth - 1])}${text}`)).join('');
  return whole.replace(/<[^>]*>/gu, '');
}

const WORDS_MAX = 20;

/** The sentences of a text: a point, a question mark or an exclamation mark ends one before a space. */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?][”’)]?)\s+|\n{2,}/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

describe.each(AREAS)('the texts of %s', (name) => {
  it(`the texts of ${name} are the same in German, with the same values`, () => {
    const texts = leavesOf(englishOf(name)).map(([path, leaf]) => `${path}: ${shapeOf(leaf)}`);
    const german = leavesOf(de[name]).map(([path, leaf]) => `${path}: ${shapeOf(leaf)}`);
    expect(texts.length).toBeGreaterThan(0);
    expect(german.toSorted()).toEqual(texts.toSorted());
  });

  it(`no text of ${name} is empty, in either language`, () => {
    const texts = [...leavesOf(englishOf(name)), ...leavesOf(de[name])];
    expect(texts.filter(([, leaf]) => wordsOf(leaf).trim() === '').map(([path]) => path)).toEqual([]);
  });

  it(`each English sentence of ${name} has at most ${WORDS_MAX} words`, () => {
    const sentences = leavesOf(englishOf(name)).flatMap(([path, leaf]) =>
      sentencesOf(wordsOf(leaf)).map((sentence) => `${path}: ${sentence}`),
    );
    expect(sentences.filter((sentence) => sentence.split(/\s+/u).length - 1 > WORDS_MAX)).toEqual([]);
  });

  it(`each German text of ${name} differs from the English text, or is listed as the same word`, () => {
    const words = new Map(leavesOf(englishOf(name)).map(([path, leaf]) => [path, wordsOf(leaf)]));
    spoken('de');
    const same = leavesOf(de[name]).filter(([path, leaf]) => wordsOf(leaf) === words.get(path));
    const unlisted = same.filter(([, leaf]) => /\p{L}{2}/u.test(wordsOf(leaf)) && !SAME.has(wordsOf(leaf)));
    expect(unlisted.map(([path, leaf]) => `${path}: ${wordsOf(leaf)}`)).toEqual([]);
  });
});

describe('the list of areas', () => {
  it('each area has a table in English and in German', () => {
    expect([...english.keys()].toSorted()).toEqual(AREAS.toSorted());
    expect(Object.keys(de).toSorted()).toEqual([...AREAS, 'captions'].toSorted());
  });
});
