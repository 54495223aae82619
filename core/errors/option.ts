import type { DetailsIn } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Code for a faulty option, which the page itself detects. */
export const OPTION_CODES = {
  /** `wants`: the required type; absent when no option has that name, and then `known` has the names. */
  option_invalid: {
    class: 'definition',
    what: (d: { readonly name: string; readonly wants?: string; readonly known?: readonly string[] }): string => {
      const known = d.known === undefined || d.known.length === 0 ? '' : `; known are ${d.known.join(', ')}`;
      return `The option ${d.name} ${d.wants === undefined ? `is unknown here${known}` : `has to be ${d.wants}`}`;
    },
    todo: 'Correct it; nothing is converted or filled in.',
  },
} as const;

export const refuse: Refuse<DetailsIn<typeof OPTION_CODES>> = /* @__PURE__ */ refuser(OPTION_CODES);
