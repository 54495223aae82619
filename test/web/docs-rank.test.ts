import { expect, test } from 'vitest';
import { ranked } from '../../web/docs/rank.js';

const section = (heading: string, text: string, title = 'A page', href = 'a.html') => ({ href, title, heading, text });
const headings = (sections: readonly ReturnType<typeof section>[], query: string) =>
  ranked(sections, query).map(({ section: { heading } }) => heading);

test('a section needs every word of the query, in its heading, its page or its text', () => {
  const sections = [
    section('Grants', 'Expire at a time.'),
    section('Time', 'No clock.', 'Grants'),
    section('Fuel', ''),
  ];
  expect(headings(sections, 'grants time')).toEqual(['Time', 'Grants']);
  expect(headings(sections, '  ')).toEqual([]);
});

test('a word of the heading comes before a word of the text, and a whole word before a part', () => {
  const sections = [
    section('Other', 'a grant'),
    section('Other part', 'granted'),
    section('Granted', ''),
    section('The grant', ''),
  ];
  expect(headings(sections, 'grant')).toEqual(['The grant', 'Granted', 'Other', 'Other part']);
});

test('words in their order come before the same words apart', () => {
  const sections = [section('One', 'log of the merkle tree'), section('Two', 'a merkle log')];
  expect(headings(sections, 'merkle log')).toEqual(['Two', 'One']);
});

test('a page that explains a name comes before the list of exports', () => {
  expect(
    headings([section('openRuntime', '', 'E', 'exports.html'), section('Use openRuntime', '')], 'openruntime'),
  ).toEqual(['Use openRuntime', 'openRuntime']);
});

test('an exact name comes before longer names and before mentions, also in a list of names', () => {
  const sections = [
    section('ReceiptBodies', '', 'Records', 'records.html'),
    section('Mentions', 'a receipt'),
    section('Receipt', '', 'E', 'exports.html'),
    section('Names', '', 'Read a receipt'),
    section('The receipt', ''),
  ];
  expect(headings(sections, 'receipt')).toEqual(['The receipt', 'Receipt', 'Names', 'Mentions', 'ReceiptBodies']);
});

test('an excerpt shows the place of the hit, with each word of the query marked', () => {
  const text = `${'before '.repeat(20)}the Merkle log grows ${'behind '.repeat(40)}`;
  const [found] = ranked([section('One', text)], 'merkle (log');
  expect(found).toBeUndefined();
  const excerpt = ranked([section('One', text)], 'merkle log')[0]?.excerpt ?? [];
  expect(excerpt.filter(({ isHit }) => isHit).map(({ text: hit }) => hit)).toEqual(['Merkle', 'log']);
  const whole = excerpt.map(({ text: piece }) => piece).join('');
  expect(whole).toMatch(/^… before .*the Merkle log grows behind .* …$/);
  expect(whole.length).toBeLessThan(170);
});

test('signs of a query are read as text', () => {
  expect(headings([section('A', 'store.get(key)'), section('B', 'storeXget')], 'store.get(')).toEqual(['A']);
});

test('an excerpt of a hit in the heading alone is the beginning of the text', () => {
  expect(ranked([section('Grants', 'Permission to call.')], 'grants')[0]?.excerpt).toEqual([
    { text: 'Permission to call.', isHit: false },
  ]);
});
