import type { DetailsIn, Exceeded } from './details.ts';
import { over, type Refuse, refuser } from './refuse.ts';

/** Codes for faults of a schema at registration. */
export const SCHEMA_CODES = {
  schema_refused: {
    class: 'definition',
    what: (d: { readonly rule: string; readonly reason: string }): string => `Schema refused: ${d.reason}`,
    todo: 'Change the schema; nothing is approximated.',
  },
  schema_too_large: {
    class: 'definition',
    what: (d: Exceeded & { readonly what: string }): string => over('Schema too large', d.what, d),
    todo: 'Split it or leave parts out.',
  },
} as const;

export const refuse: Refuse<DetailsIn<typeof SCHEMA_CODES>> = /* @__PURE__ */ refuser(SCHEMA_CODES);
