import type { Charged } from '../capability/charge.ts';
import type { Effect as EffectClass } from '../capability/guard.ts';
import type { Power, PowerAnswer } from '../capability/power.ts';
import type { Staged } from '../content/write.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import type { Refusal } from '../outcome.ts';
import type { Context } from './context.ts';
import type { Ending } from './event.ts';

/** What may be asked of the outside. A value here, an act in `workers`, and each is answered by one event. */
export type RunEffect =
  /** `after_ms`: to be asked no earlier. */
  | { readonly type: 'propose'; readonly step: number; readonly context: Context; readonly after_ms?: number }
  /** Answered by `checked`: for each schema hash, what its validator says of the JSON text. */
  | { readonly type: 'check'; readonly step: number; readonly schemas: readonly string[]; readonly text: string }
  /** Answered by `resolved`: what these symbols stand for now. */
  | { readonly type: 'resolve'; readonly step: number; readonly symbols: readonly string[] }
  /** Answered by `loaded`. */
  | { readonly type: 'load'; readonly step: number; readonly path: string }
  | { readonly type: 'ask'; readonly question: Question }
  | { readonly type: 'ask_consent'; readonly question: Consent & { readonly run_id: string } }
  | {
      readonly type: 'execute';
      readonly step: number;
      readonly call: Charged;
      readonly args: string;
      readonly seed: number;
      readonly now: number;
      readonly heapHash?: boolean;
    }
  /** Carries out a power of the page's; answered by `power_answered`. */
  | {
      readonly type: 'power';
      readonly step: number;
      readonly ticket: number;
      readonly power: Power;
      /** Canonical text of its one argument. */
      readonly args: string;
    }
  /** The guest may hear this, and not before. */
  | {
      readonly type: 'answer_power';
      readonly step: number;
      readonly ticket: number;
      readonly answer: PowerAnswer;
    }
  /** The guest may read the content that it asked for, or not for this reason. */
  | {
      readonly type: 'answer_read';
      readonly step: number;
      readonly ticket: number;
      readonly refusal?: Refusal;
    }
  /** Goes on with a parked call, if what was kept has this digest; answered by `settled` or `lost`. */
  | {
      readonly type: 'unpark';
      readonly step: number;
      readonly call: Charged;
      readonly digest: string;
      readonly image_hash: string;
      /** Ids of the sections that its expansions have touched. */
      readonly touched: readonly string[];
    }
  /** All or nothing, in order; answered by `appended` only when it is durable. */
  | {
      readonly type: 'append';
      readonly drafts: readonly Draft[];
      readonly payloads: readonly Payload[];
      /** Rows that change with these records or not at all. */
      readonly kept?: readonly KeptRow[];
      /** Content that changes with these records or not at all; answered by `outdated` where it is another by now. */
      readonly content?: readonly Staged[];
      readonly durability: 'strict' | 'relaxed';
    }
  /** Records that nothing waits for, behind all that was to be written before; answered by `noted`. */
  | { readonly type: 'note'; readonly drafts: readonly Draft[]; readonly payloads: readonly Payload[] }
  /** Whatever the model or the sandbox is doing for this run is no longer wanted. */
  | { readonly type: 'cancel' }
  | { readonly type: 'end'; readonly ending: Ending };

/** A row of the table `kept`; without a value it is removed. */
export interface KeptRow {
  readonly key: string;
  readonly value?: unknown;
}

export interface Question {
  readonly run_id: string;
  readonly step_id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: EffectClass;
  readonly args: string;
  readonly digest: string;
  readonly reason: string;
  /** It is put to the program's authorizer, and to nobody else. */
  readonly why?: 'authorizer';
}

/** Bytes that records name and that are stored beside them. */
export interface Payload {
  readonly ref: PayloadRef;
  readonly bytes: Uint8Array;
}

/** May this run's context, so and so much of it by now, go to this origin? */
export interface Consent {
  readonly origin: string;
  /** UTF-8 bytes of everything the model has been shown. */
  readonly bytes: number;
  /** A yes covers every later request of the run, because none holds more than this. */
  readonly bytes_max: number;
  readonly digest: string;
}
