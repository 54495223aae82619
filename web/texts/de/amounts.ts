import type { AmountTexts } from '../en/amounts.ts';
import { plural } from '../intl.ts';

export const amounts: AmountTexts = {
  underMs: 'unter 1 ms',
  days: (days) => plural(days, { one: '# Tag', other: '# Tage' }),
  bytes: (bytes) => plural(bytes, { other: '# Byte' }),
};
