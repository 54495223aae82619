import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FOLDER = 'web/docs/pictures';
const pictures = readdirSync(FOLDER);
const paths = [...pictures.map((name) => `${FOLDER}/${name}`), '.readme/gates.svg'];
const pages = readdirSync('web/docs')
  .filter((file) => file.endsWith('.md'))
  .map((file) => readFileSync(`web/docs/${file}`, 'utf8'));
const places = pages.flatMap((text) => [...text.matchAll(/!\[(?<words>[^\]]*)\]\(pictures\/(?<name>[^)]+)\)/g)]);

describe.each(paths)('the picture %s', (path) => {
  const svg = readFileSync(path, 'utf8');

  test('has a title and a description for screen readers', () => {
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc"/);
    expect(svg).toMatch(/<title id="title">[^<]{8,}<\/title>/);
    expect(svg).toMatch(/<desc id="desc">[^<]{20,}<\/desc>/);
  });

  test('has colours for light and dark pages', () => {
    const light = new Set(svg.replace(/@media[\s\S]*<\/style>/, '').match(/#[0-9a-f]{3,6}\b/g));
    expect(light.size).toBeGreaterThan(3);
    expect(svg).toMatch(/@media ?\(prefers-color-scheme: ?dark\)/);
    // A colour outside of the style would be the same on both.
    expect(svg.replace(/<style>[\s\S]*<\/style>/, '')).not.toMatch(/(?:fill|stroke|style)="[^"]*(?:#|rgb)/);
  });

  test('has no script and no reference to another file', () => {
    expect(svg).not.toMatch(/<script|<foreignObject|<image|<use|\son\w+=|@import|href=|src=|javascript:/i);
    expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
    expect([...svg.matchAll(/url\((?!#\w+\))/g)]).toEqual([]);
  });
});

test.each(pictures)('letters of %s are at least nine pixels high on a screen of 320', (name) => {
  const svg = readFileSync(`${FOLDER}/${name}`, 'utf8');
  const width = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const sizes = [...svg.matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size));
  expect((Math.min(...sizes) * 288) / width).toBeGreaterThanOrEqual(9);
});

test('a moving picture stands still where a reader prefers no motion', () => {
  const moving = paths.filter((path) => readFileSync(path, 'utf8').includes('@keyframes'));
  expect(moving).toEqual(['.readme/gates.svg']);
  expect(readFileSync('.readme/gates.svg', 'utf8')).toMatch(/prefers-reduced-motion:reduce\)\{[^@]*animation:none/);
});

test('every picture has a place in a page, with words for readers who do not see it', () => {
  expect(places.map(({ groups }) => groups?.['name'] ?? '').toSorted()).toEqual(pictures.toSorted());
  for (const { groups } of places) expect(groups?.['words']?.length, groups?.['name']).toBeGreaterThan(40);
});
