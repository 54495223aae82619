import type { CodeTable } from './details.ts';
import { over, type Refuse, refuser } from './refuse.ts';

/** Codes for faults of a schema at registration. */
export type SchemaCode = 'schema_refused' | 'schema_too_large';

export const SCHEMA_CODES: CodeTable<SchemaCode> = {
  schema_refused: {
    class: 'definition',
    what: (d) => `Schema refused: ${d.reason}`,
    todo: 'Change the schema; nothing is approximated.',
  },
  schema_too_large: {
    class: 'definition',
    what: (d) => over('Schema too large', d.what)(d),
    todo: 'Split it or leave parts out.',
  },
};

export const refuse: Refuse<SchemaCode> = /* @__PURE__ */ refuser(SCHEMA_CODES);
