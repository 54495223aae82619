import { describe, expect, test } from 'vitest';
import { Copying } from '../../../../../workers/bridges/models/small/copying.ts';
import type { Turn } from '../../../../../workers/bridges/models/small/prompt.ts';
import type { SmallWeights } from '../../../../../workers/bridges/models/small/weights.ts';

const WEIGHTS = {
  tokens: ['<end>', '{"next_step":{"tool":"', 'calc.eval', '"expression":"', 'The answer is ', 'a', '1'],
  control: 1,
  free: ['15', 'lines'],
  steps: { line: 5 },
  copied: ['title'],
  named: { values: { to: { lb: ['pounds'], oz: ['ounces'] } }, members: {}, differ: [] },
} as unknown as SmallWeights;

const CALL = '{"next_step":{"tool":"calc.eval","arguments":{"expression":"';
const ANSWER = '{"done":true,"message":"The answer is ';

function allows(turns: readonly Turn[], begun: string, said: string): boolean {
  const copying = new Copying(WEIGHTS, turns);
  let text = begun;
  for (const piece of said) {
    if (!copying.allows(text, piece)) return false;
    text += piece;
  }
  return true;
}

const task = (text: string): readonly Turn[] => [{ kind: 'task', text }];

describe('a proposal that is held to what the model was told', () => {
  test('copies numbers as they were written, or as JSON writes them', () => {
    const told = task('12 bags at 2.40');
    expect(allows(told, CALL, '12 * 2.40"')).toBe(true);
    expect(allows(told, '{"tool_call":{"tool":"math.add","args":{"a":', '2.4}')).toBe(true);
    for (const made of ['13', '2.41', '2.4 * 9', '120']) expect(allows(told, CALL, made), made).toBe(false);
  });

  test('ends a sentence behind a number with a point, and not a number of JSON', () => {
    const sum = '{"tool_call":{"tool":"math.add","args":{"a":';
    expect(allows(task('add 2 and 3.'), sum, '2.')).toBe(false);
    expect(allows(task('add 2.5 and 3.'), sum, '2.5')).toBe(true);
    expect(allows(task('add 2 and 3.'), ANSWER, '3."')).toBe(true);
  });

  test('says a number in a call as often as it was told, and not once more', () => {
    expect(allows(task('6 times 17'), CALL, '6 * 17"')).toBe(true);
    expect(allows(task('6 times 17'), CALL, '6 * 6"')).toBe(false);
    expect(allows(task('6 times 6'), CALL, '6 * 6"')).toBe(true);
    expect(allows(task('8.20 and 31'), CALL, '8.20 + 8')).toBe(false);
    expect(allows(task('8.20 and 31'), CALL, '8.20 + 3')).toBe(true);
  });

  test('counts the numbers of a call from its beginning, and not those of earlier calls', () => {
    const turns: readonly Turn[] = [
      ...task('6 times 17'),
      { kind: 'call', text: '6 * 17' },
      { kind: 'error', text: 'x' },
    ];
    expect(allows(turns, CALL, '6 * 17"')).toBe(true);
  });

  test('says free numbers in a call after an error, and steps of a result, and neither in an answer', () => {
    const result: readonly Turn[] = [...task('read'), { kind: 'result', text: 'line=6' }];
    expect(allows(result, CALL, '6:11"')).toBe(true);
    expect(allows(result, CALL, '15')).toBe(false);
    const turns: readonly Turn[] = [...result, { kind: 'error', text: 'fuel_exhausted' }];
    expect(allows(turns, CALL, '6:11:15:15"')).toBe(true);
    expect(allows(turns, ANSWER, '6."')).toBe(true);
    expect(allows(turns, ANSWER, '15')).toBe(false);
    expect(allows(turns, ANSWER, '11')).toBe(false);
  });

  test('says a number in an answer as often as it likes', () => {
    expect(allows([...task('x'), { kind: 'result', text: 'n=42' }], ANSWER, '42, 42, 42."')).toBe(true);
  });

  test('says a number that the task has in words or with commas, as often as it has it', () => {
    const shift = '{"next_step":{"tool":"date.shift","arguments":{"weeks":-';
    expect(allows(task('Two weeks before 2026-05-14'), shift, '2}')).toBe(true);
    expect(allows(task('a week before 2026-05-14'), shift, '1}')).toBe(true);
    expect(allows(task('a line of shop.md'), '{"tool_call":{"tool":"x","args":{"n":', '1}')).toBe(false);
    expect(allows(task('the last line of shop.md'), '{"tool_call":{"tool":"x","args":{"n":', '1}')).toBe(true);
    expect(allows(task('split 1,200 by 48'), CALL, '1200 / 48"')).toBe(true);
    expect(allows(task('seven times eight'), CALL, '7 * 8"')).toBe(true);
    expect(allows(task('seven times eight'), CALL, '7 * 7"')).toBe(false);
    expect(allows(task('sevenths of eighty'), CALL, '7')).toBe(false);
  });

  test('hears a number in words from a person alone', () => {
    expect(allows([...task('x'), { kind: 'result', text: 'text=two boxes' }], CALL, '2')).toBe(false);
  });

  test('says a value of a choice under its own name, where the task has another', () => {
    const convert = '{"next_step":{"tool":"unit.convert","arguments":{"to":"';
    expect(allows(task('3 pounds in grams'), convert, 'lb"')).toBe(true);
    expect(allows(task('3 pounds in grams'), convert, 'oz"')).toBe(false);
  });

  test('copies a text of the task from the start of a word to the end of one', () => {
    const event = '{"next_step":{"tool":"calendar.add","arguments":{"title":"';
    expect(allows(task('enter summer party at 9'), event, 'summer party"')).toBe(true);
    for (const cut of ['ummer', 'summer par"', 'summer  '])
      expect(allows(task('enter summer party'), event, cut)).toBe(false);
    expect(allows(task('enter Summer Party'), event, 'summer party"')).toBe(true);
    expect(allows(task('enter summer party'), event, 'Summer')).toBe(false);
  });
});
