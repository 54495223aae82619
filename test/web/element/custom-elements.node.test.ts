import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The manifest of the element describes its source. */
const manifest = JSON.parse(readFileSync('web/element/custom-elements.json', 'utf8')) as {
  readonly modules: readonly [{ readonly declarations: readonly [Declaration] }];
};
type Named = readonly { readonly name: string }[];
interface Declaration {
  readonly attributes: Named;
  readonly members: Named;
  readonly events: Named;
  readonly slots: Named;
  readonly cssParts: Named;
  readonly cssProperties: Named;
}
const [{ declarations }] = manifest.modules;
const [declared] = declarations;
const source = readdirSync('web/element')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`web/element/${file}`, 'utf8'))
  .join('\n');

const namesOf = (list: Named): string[] => list.map(({ name }) => name).sort();
const found = (pattern: RegExp): string[] => {
  const names = [...source.matchAll(pattern)].map(([, name]) => name ?? '');
  expect(names).not.toEqual([]);
  return [...new Set(names)].sort();
};

test.each([
  ['attributes', /^ {2}(\w+): \{(?: reflect: true | type: Boolean )?\},$/gm],
  ['cssParts', /\spart(?:="?|: ')([a-z]+)/g],
  ['cssProperties', /var\((--sallyport-[a-z-]+)/g],
  ['slots', /<slot name="(\w+)"/g],
] as const)('the manifest names exactly the %s of the element', (kind, pattern) => {
  expect(namesOf(declared[kind])).toEqual(found(pattern));
});

test('the manifest names exactly the events of the element', () => {
  const events = found(/#emit\('(\w+)'/g).map((name) => `sallyport-${name}`);
  expect(namesOf(declared.events)).toEqual(events);
});

test('every member that the manifest names is a member of the class', () => {
  const run = readFileSync('web/element/run.ts', 'utf8');
  for (const { name } of declared.members)
    expect(run).toMatch(new RegExp(`^  (declare |readonly |async )?${name}[(:]`, 'm'));
});
