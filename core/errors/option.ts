import type { DetailsIn } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Code for a faulty option, which the page itself detects. */
export const OPTION_CODES = {
  /** `wants`: the required type; absent when no option has that name. */
  option_invalid: {
    class: 'definition',
    what: (d: { readonly name: string; readonly wants?: string }): string =>
      `The option ${d.name} ${d.wants === undefined ? 'is unknown here' : `has to be ${d.wants}`}`,
    todo: 'Correct it; nothing is converted or filled in.',
  },
} as const;

export const refuse: Refuse<DetailsIn<typeof OPTION_CODES>> = /* @__PURE__ */ refuser(OPTION_CODES);
