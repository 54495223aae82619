import type { DetailsIn } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes that a page uses for a run that goes on elsewhere, without asking the kernel. */
export const PAGE_CODES = {
  run_open: {
    class: 'run',
    what: (d: { readonly run_id: string }): string => `The run ${d.run_id} is open elsewhere`,
    todo: 'Use it where it is open.',
  },
  run_suspended: {
    class: 'run',
    what: (d: { readonly run_id: string }): string => `The run ${d.run_id} was suspended as its runtime closed`,
    todo: 'It goes on by resume() of a later runtime.',
  },
} as const;

export const refuse: Refuse<DetailsIn<typeof PAGE_CODES>> = /* @__PURE__ */ refuser(PAGE_CODES);
