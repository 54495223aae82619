import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

const en = {
  underMs: 'under 1 ms',
  days: (days: number): string => plural(days, { one: '# day', other: '# days' }),
  bytes: (bytes: number): string => plural(bytes, { one: '# byte', other: '# bytes' }),
};

export type AmountTexts = typeof en;
export const amounts: Area<AmountTexts> = area('amounts', en);
