import type { CodeTable } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes that a page uses for a run without asking the kernel. */
export type PageCode = 'run_open';

export const PAGE_CODES: CodeTable<PageCode> = {
  run_open: { class: 'run', what: (d) => `The run ${d.run_id} is open elsewhere`, todo: 'Use it where it is open.' },
};

export const refuse: Refuse<PageCode> = /* @__PURE__ */ refuser(PAGE_CODES);
