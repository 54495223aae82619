import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  legend: 'Price of a million tokens',
  input: 'What it reads',
  output: 'What it writes',
  currency: 'Currency',
  none: 'not set',
  local: 'It stays on this device. Without a price, only tokens are counted.',
  summary: 'Price of its tokens',
  unnamed: 'Enter the server and the model first.',
  tokens: (input: number, output: number): string =>
    `${plural(input, { one: '# token', other: '# tokens' })} in, ${number(output)} out`,
  spent: (all: string): string => `The model used ${all}.`,
};

export type PriceTexts = typeof en;
export const prices: Area<PriceTexts> = area('prices', en);
