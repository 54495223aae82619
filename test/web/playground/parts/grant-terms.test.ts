import { expect, test } from 'vitest';
import { readTerms, termsOf, termWords } from '../../../../web/playground/parts/grant-terms.ts';

function form(fields: { readonly [name: string]: string }): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

test('the form reads the terms about held values', () => {
  const accepts = '{"/text":["private","untrusted"],"":["private"]}';
  expect(readTerms(form({ held: 'true', accepts }))).toEqual({
    held: true,
    accepts: { '/text': ['private', 'untrusted'], '': ['private'] },
  });
  expect(readTerms(form({ held: 'private', accepts: ' ' }))).toEqual({ held: 'private' });
  expect(readTerms(form({ held: '', accepts: '' }))).toEqual({});
});

test('the form refuses places that are no object', () => {
  for (const accepts of ['["/text"]', '{"/text":', '"/text"']) expect(() => readTerms(form({ accepts }))).toThrow();
});

test('the terms about held values are told in words, and given again', () => {
  const grant = { mode: 'allow', held: 'untrusted', accepts: { '/text': ['private'], '': ['private'] } } as const;
  expect(termWords(grant)).toEqual(['results that can be untrusted are held', 'held values at /text, ""']);
  expect(termWords({ mode: 'allow', held: true })).toEqual(['results are held']);
  expect(termsOf(grant)).toEqual(grant);
});
