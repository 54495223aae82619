import { signal } from '@preact/signals-core';
import { expect, test } from 'vitest';
import { parseExport } from '../../../../core/index.ts';
import { openSelection } from '../../../../web/playground/timeline/selection.ts';
import { recordsIn } from '../../../../web/records/steps.ts';
import WHOLE from '../../../vectors/exports/whole.jsonl?raw';

const RECORDS = recordsIn(parseExport(WHOLE));
const LAST = RECORDS.length - 1;
const FIRST_KEY = -1e9;
const LAST_KEY = 1e9;

function selected(seq: number | undefined, by: number, filter = ''): number | undefined {
  const selection = openSelection(signal(RECORDS), signal(undefined));
  selection.seq.value = seq;
  selection.filterText.value = filter;
  selection.move(by);
  return selection.seq.value;
}

test('a move without a selected record begins at the first record', () => {
  expect(selected(undefined, 1)).toBe(0);
  expect(selected(undefined, -1)).toBe(0);
  expect(selected(undefined, FIRST_KEY)).toBe(0);
  expect(selected(undefined, LAST_KEY)).toBe(LAST);
});

test('a move from a record that the filter hides counts from its place among the shown records', () => {
  const receipts = RECORDS.filter(({ kind }) => kind === 'receipt').map(({ run_seq }) => run_seq);
  const [first = 0, second = 0] = receipts;
  const from = (seq: number, by: number) => selected(seq, by, 'type:receipt');
  expect(from(first + 1, 1)).toBe(second);
  expect(from(first + 1, -1)).toBe(first);
  expect(from(first + 1, FIRST_KEY)).toBe(first);
  expect(from(0, LAST_KEY)).toBe(receipts.at(-1));
  expect(from(0, -1)).toBe(first);
  expect(selected(0, 1, 'type:receipt no such words')).toBe(0);
});
