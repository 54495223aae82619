import type { JsonObject } from '../json/value.ts';

export type Dialect = 'femtoclaw' | 'xct';
export type DialectVersion = 'femtoclaw/1.0.0' | 'xct/0.1';

export const DIALECT_VERSIONS: { readonly [D in Dialect]: DialectVersion } = {
  femtoclaw: 'femtoclaw/1.0.0',
  xct: 'xct/0.1',
};

/** The one internal form of all dialects. */
export type Proposal =
  | { readonly kind: 'say'; readonly content: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject; readonly at: CallPointers; readonly goal?: string }
  | { readonly kind: 'finish'; readonly message: string };

/** Where the dialect keeps a call's parts, for pointers in later refusals. */
export interface CallPointers {
  readonly name: string;
  readonly args: string;
}
