import type { PayloadRef } from './record.ts';

/** Catalytic Chat Contract, Receipt: one action attempted. `result` names a payload, it does not hold it. */
export interface Action {
  readonly type: 'READ' | 'WRITE' | 'EXECUTE';
  /** A symbol; a capability is `@TOOLS/<name>`. */
  readonly target: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly result: PayloadRef | Readonly<Record<string, never>>;
}

/** Catalytic Chat Contract, Expansion: bounded content that was delivered. */
export interface Expansion {
  readonly run_id: string;
  readonly symbol_or_section_id: string;
  readonly slice: string;
  readonly content_hash: string;
  /** `sha256:<content_hash>` */
  readonly payload_ref: string;
}

/** Catalytic Chat Contract, Receipt: exactly its six fields. */
export interface Receipt {
  readonly run_id: string;
  readonly step_id: string;
  readonly expanded: readonly Expansion[];
  readonly actions: readonly Action[];
  readonly outputs: { readonly [output: string]: PayloadRef };
  readonly status: 'SUCCESS' | 'FAILURE' | 'PARTIAL';
}
