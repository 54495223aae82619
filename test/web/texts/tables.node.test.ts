import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AREAS, type AreaName } from '../../../web/texts/area.ts';
import { de } from '../../../web/texts/de/index.ts';
import { SAME } from './same-words.ts';
import { spoken } from './spoken.ts';

type Path = string;
type Leaf = string | ((...values: unknown[]) => unknown);

const FOLDER = 'web/texts/en';
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The English table of an area: its file exports a single function, and its types. */
async function englishOf(file: string): Promise<object> {
  const module = (await import(`../../../web/texts/en/${file}`)) as Record<string, unknown>;
  const areas = Object.values(module).filter((each) => typeof each === 'function');
  expect(areas, file).toHaveLength(1);
  spoken('en');
  return (areas[0] as () => object)();
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

describe.each(files)('the texts of %s', (file) => {
  const name = file.replace(/\.ts$/u, '') as AreaName;

  it(`the texts of ${file} are an area, and German has the same texts with the same values`, async () => {
    expect(AREAS).toContain(name);
    const english = leavesOf(await englishOf(file)).map(([path, leaf]) => `${path}: ${shapeOf(leaf)}`);
    const german = leavesOf(de[name]).map(([path, leaf]) => `${path}: ${shapeOf(leaf)}`);
    expect(german.toSorted()).toEqual(english.toSorted());
  });

  it(`no text of ${file} is empty, in either language`, async () => {
    const texts = [...leavesOf(await englishOf(file)), ...leavesOf(de[name])];
    expect(texts.filter(([, leaf]) => wordsOf(leaf).trim() === '').map(([path]) => path)).toEqual([]);
  });

  it(`each German text of ${file} differs from the English text, or is listed as the same word`, async () => {
    const english = new Map(leavesOf(await englishOf(file)).map(([path, leaf]) => [path, wordsOf(leaf)]));
    spoken('de');
    const same = leavesOf(de[name]).filter(([path, leaf]) => wordsOf(leaf) === english.get(path));
    const unlisted = same.filter(([, leaf]) => /\p{L}{2}/u.test(wordsOf(leaf)) && !SAME.has(wordsOf(leaf)));
    expect(unlisted.map(([path, leaf]) => `${path}: ${wordsOf(leaf)}`)).toEqual([]);
  });
});

describe('the list of areas', () => {
  it('each area has a file in English and a table in German', () => {
    expect(files.map((file) => file.replace(/\.ts$/u, '')).toSorted()).toEqual(AREAS.toSorted());
    expect(Object.keys(de).toSorted()).toEqual([...AREAS, 'captions'].toSorted());
  });
});
