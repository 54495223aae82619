import { isHash } from '../../hash.ts';
import { arrayOf, type Form, type Forms, isSymbol, isText, isWholeRef, optional, shaped, type Test } from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import { isSaltedRef, STEP, type StepRef } from './parts.ts';

/** A symbol that a write has moved to another section, or has unbound. */
export interface ReboundSymbol {
  readonly symbol_id: string;
  readonly from: string;
  readonly to?: string;
}

/** Kind of a change to the content. */
export interface ContentBodies {
  /** Content that changed with this step: both texts, so that the change can be undone, and the moved symbols. */
  content: StepRef & {
    readonly path: string;
    readonly before: PayloadRef;
    readonly after: PayloadRef;
    /** Of a secret step the list is a payload. */
    readonly symbols: readonly ReboundSymbol[] | PayloadRef;
  };
}

const REBOUND: Form<ReboundSymbol> = {
  symbol_id: isSymbol,
  from: isHash,
  to: optional(isHash),
};
/** True for a list of symbols that a write has moved. */
export const isReboundList: Test = arrayOf(shaped(REBOUND));

export const CONTENT_FORMS: Forms<ContentBodies> = {
  content: {
    ...STEP,
    path: isText,
    before: isWholeRef,
    after: isWholeRef,
    symbols: (value) => isReboundList(value) || isSaltedRef(value),
  },
};
