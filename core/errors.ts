import { ASSERTION_CODES } from './errors/assertion.ts';
import { AUTHORIZATION_CODES, BUDGET_CODES, CALL_CODES, EXECUTION_CODES, OUTPUT_CODES } from './errors/call.ts';
import { CONTENT_CODES } from './errors/content.ts';
import { DECODE_CODES } from './errors/decode.ts';
import type { CodeRow, DetailsIn } from './errors/details.ts';
import { LEDGER_CODES } from './errors/ledger.ts';
import { OPTION_CODES } from './errors/option.ts';
import { PAGE_CODES } from './errors/page.ts';
import { PROTOCOL_CODES } from './errors/protocol.ts';
import { type Refuse, refuser } from './errors/refuse.ts';
import { DEFINITION_CODES, HOST_CODES, RUN_CODES, STORAGE_CODES, UNDO_CODES } from './errors/run.ts';
import { SCHEMA_CODES } from './errors/schema.ts';
import { TOKEN_CODES } from './errors/token.ts';
import { WITNESS_CODES } from './errors/witness.ts';

/** A code that two files declare with different details does not compile. */
interface AllDetails
  extends DetailsIn<typeof DECODE_CODES>,
    DetailsIn<typeof PROTOCOL_CODES>,
    DetailsIn<typeof CALL_CODES>,
    DetailsIn<typeof DEFINITION_CODES>,
    DetailsIn<typeof OPTION_CODES>,
    DetailsIn<typeof SCHEMA_CODES>,
    DetailsIn<typeof CONTENT_CODES>,
    DetailsIn<typeof AUTHORIZATION_CODES>,
    DetailsIn<typeof ASSERTION_CODES>,
    DetailsIn<typeof BUDGET_CODES>,
    DetailsIn<typeof EXECUTION_CODES>,
    DetailsIn<typeof OUTPUT_CODES>,
    DetailsIn<typeof RUN_CODES>,
    DetailsIn<typeof HOST_CODES>,
    DetailsIn<typeof UNDO_CODES>,
    DetailsIn<typeof PAGE_CODES>,
    DetailsIn<typeof STORAGE_CODES>,
    DetailsIn<typeof LEDGER_CODES>,
    DetailsIn<typeof TOKEN_CODES>,
    DetailsIn<typeof WITNESS_CODES> {}

/** The details each code promises. */
export interface DetailsOf extends AllDetails {}

export type Code = keyof DetailsOf;

export type CodeTable<T extends Code> = { readonly [C in T]: CodeRow<DetailsOf[C]> };

/**
 * The one table of codes. The documentation, the reply to the model and the playground's texts are made from it; every
 * code has a test vector that yields it. Each file of `errors/` holds the codes of a class or subject, with their
 * details and rows. Some are also used on their own: a verifier needs no texts for codes of a run, and a page none for
 * codes that only its kernel uses.
 */
export const CODES: CodeTable<Code> = {
  ...DECODE_CODES,
  ...PROTOCOL_CODES,
  ...CALL_CODES,
  ...DEFINITION_CODES,
  ...OPTION_CODES,
  ...SCHEMA_CODES,
  ...CONTENT_CODES,
  ...AUTHORIZATION_CODES,
  ...ASSERTION_CODES,
  ...BUDGET_CODES,
  ...EXECUTION_CODES,
  ...OUTPUT_CODES,
  ...RUN_CODES,
  ...HOST_CODES,
  ...UNDO_CODES,
  ...PAGE_CODES,
  ...STORAGE_CODES,
  ...LEDGER_CODES,
  ...TOKEN_CODES,
  ...WITNESS_CODES,
};

/** Makes a refusal from the table. Passing another code's details does not compile. */
export const refuse: Refuse<DetailsOf> = /* @__PURE__ */ refuser(CODES);
