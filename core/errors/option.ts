import type { CodeTable } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes for faulty options that the page itself detects. */
export type OptionCode = 'option_invalid';

export const OPTION_CODES: CodeTable<OptionCode> = {
  option_invalid: {
    class: 'definition',
    what: (d) => `The option ${d.name} ${d.wants === undefined ? 'is unknown here' : `has to be ${d.wants}`}`,
    todo: 'Correct it; nothing is converted or filled in.',
  },
};

export const refuse: Refuse<OptionCode> = /* @__PURE__ */ refuser(OPTION_CODES);
