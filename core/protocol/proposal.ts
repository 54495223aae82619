import type { Budgets } from '../content/budget.ts';
import type { JsonObject } from '../json/value.ts';

/** The internal form of all dialects. */
export type Proposal =
  | { readonly kind: 'say'; readonly content: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: JsonObject;
      readonly at: CallPointers;
      readonly goal?: string;
    }
  | { readonly kind: 'finish'; readonly message: string }
  | { readonly kind: 'work'; readonly message: CatalyticMessage };

/** Pointers to a call's parts in its dialect, for later refusals. */
interface CallPointers {
  readonly name: string;
  readonly args: string;
}

/** Catalytic Chat Contract, Message: operations on the content of its refs, within budgets. */
export interface CatalyticMessage {
  readonly intent: string;
  readonly refs: readonly string[];
  readonly ops: readonly Operation[];
  readonly budgets: Budgets;
  readonly required_outputs: readonly string[];
}

export interface Operation {
  readonly type: 'READ' | 'WRITE' | 'EXECUTE';
  readonly target: string;
  readonly params: JsonObject;
}
