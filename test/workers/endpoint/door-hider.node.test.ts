import { expect, test } from 'vitest';
import { makeKeyHider } from '../../../workers/endpoint/door-hider.ts';

const KEY = 'sk-sk-4711';
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The text of pieces that have passed a hider. */
function through(pieces: readonly string[], values: readonly string[] = [`Bearer ${KEY}`]): string {
  const hider = makeKeyHider(values);
  const parts = [...pieces.map((piece) => hider.hide(encode(piece))), hider.rest()];
  return parts.map((part) => new TextDecoder().decode(part)).join('');
}

test('a key is covered in an answer, with and without its scheme', () => {
  expect(through([`{"a":"${KEY}","b":"Bearer ${KEY}"}`])).toBe(`{"a":"${'*'.repeat(10)}","b":"${'*'.repeat(17)}"}`);
});

test('a key is covered wherever an answer is cut into pieces', () => {
  const text = `sk-sk-sk-4711 Bearer sk-47 ${KEY}${KEY}`;
  const covered = through([text]);
  expect(covered).not.toContain('4711');
  expect(covered).toContain('Bearer sk-47 ');
  for (let one = 0; one <= text.length; one++)
    for (let other = one; other <= text.length; other++)
      expect(through([text.slice(0, one), text.slice(one, other), text.slice(other)]), `${one}, ${other}`).toBe(
        covered,
      );
  expect(through([...text])).toBe(covered);
});

test('a key is covered in every spelling that JSON has for it', () => {
  const key = 'a/b"c\\d-4711';
  for (const text of [JSON.stringify({ key }), JSON.stringify({ key }).replaceAll('/', '\\/')])
    expect(JSON.parse(through([text], [key]))).toEqual({ key: expect.stringMatching(/^\*{12,}$/) });
});

test('the beginning of a key that no key follows arrives, at the latest with the end', () => {
  const hider = makeKeyHider([KEY]);
  expect(hider.hide(encode('data: sk-')).length).toBe('data: '.length);
  expect(new TextDecoder().decode(hider.hide(encode('x\n\n')))).toBe('sk-x\n\n');
  expect(through(['the end is sk-sk-47'])).toBe('the end is sk-sk-47');
});

test('values that are too short for a key, and answers without keys, stay as they are', () => {
  expect(through(['red and Bearer'], ['red', 'Bearer x'])).toBe('red and Bearer');
  const bytes = encode('hello');
  expect(makeKeyHider([]).hide(bytes)).toBe(bytes);
});

test('a key is covered in the text of a header', () => {
  expect(makeKeyHider([`Bearer ${KEY}`]).hideIn(`realm="${KEY}"`)).toBe(`realm="${'*'.repeat(10)}"`);
});
