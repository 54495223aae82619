import type { Assertion } from '../approval/assertion.ts';
import type { ContentPower } from '../capability/built-in-power.ts';
import type { AnsweredRead, SettledCall, ToldFacts } from '../capability/call.ts';
import type { SchemaVerdict } from '../capability/check.ts';
import type { Label } from '../capability/guard.ts';
import type { Revocation } from '../capability/policy.ts';
import type { HostAnswer } from '../capability/power.ts';
import type { IndexedFile } from '../content/build.ts';
import type { SymbolRow } from '../content/target.ts';
import type { GuestError } from '../errors/details.ts';
import type { Code } from '../errors.ts';
import type { AnsweredVia } from '../ledger/kinds/parts.ts';
import type { RunEndState, ToldReason, Wire } from '../ledger/kinds/run.ts';
import type { AnswerFacts } from '../ledger/kinds/step.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Refusal } from '../outcome.ts';

/**
 * The value that constraints of `content.read` grants are checked against. An expansion has a target, its path and a
 * slice, as a READ has.
 */
export interface ReadArguments {
  readonly target: string;
  readonly path: string;
  readonly slice: string;
}

/** A row of the table `kept`; without a value it is removed. */
export interface StoredRow {
  readonly key: string;
  readonly value?: unknown;
}

/**
 * An event of a run. `step` names the proposal that an answer belongs to; an answer to a finished step is ignored.
 * Every `now` is integer ms and is recorded with the decision that it led to.
 */
export type RunEvent =
  /** `kept`: rows to write with the first record. */
  | { readonly type: 'start'; readonly task: string; readonly kept?: readonly StoredRow[] }
  | { readonly type: 'step' }
  | { readonly type: 'run' }
  | { readonly type: 'pause' }
  | { readonly type: 'say'; readonly task: string }
  /** A person's abort, or a limit of the run that the outside measures. */
  | { readonly type: 'stop'; readonly ending: Ending }
  /** A caller ends its open call; the session goes on. */
  | { readonly type: 'cut'; readonly step: number }
  | {
      readonly type: 'proposed';
      readonly step: number;
      readonly bytes: Uint8Array;
      readonly answer?: AnswerFacts;
      /** Purpose that the caller of a session states. It is recorded and takes no part in decisions. */
      readonly goal?: string;
      /** What the model's server demands back with the call, and in a replay its reference. It decides nothing. */
      readonly providerData?: string | PayloadRef;
      /** The message of a host that held the call, and in a replay its reference. It takes no part in decisions. */
      readonly wire?: Uint8Array | PayloadRef;
      /** Bytes of the history that the model could be shown, where its window is smaller than the run's. */
      readonly window?: number;
      readonly now: number;
      readonly nonce: string;
      /** 256 random bits as 64 hex digits; needed if a capability of the run marks data as secret. */
      readonly salt?: string;
    }
  | {
      readonly type: 'model_failed';
      readonly step: number;
      readonly code: 'model_exhausted' | 'model_failed';
      readonly error: GuestError;
      /** The same request may succeed later; `after_ms`, if the server names a time. */
      readonly retryable?: true;
      readonly after_ms?: number;
    }
  | { readonly type: 'checked'; readonly step: number; readonly results: ReadonlyMap<string, SchemaVerdict> }
  /** For each defined symbol, its row, and its file if the file is indexed. */
  | { readonly type: 'resolved'; readonly step: number; readonly found: ReadonlyMap<string, ResolvedSymbol> }
  /** The current file, absent if it does not exist, and the symbols that stand for it or for its sections. */
  | {
      readonly type: 'loaded';
      readonly step: number;
      readonly file?: IndexedFile;
      readonly rows: readonly SymbolRow[];
    }
  | { readonly type: 'recalled'; readonly step: number; readonly bytes: ReadonlyMap<string, Uint8Array> }
  /** What all runs had charged to each of these grants before, by the grant's id. */
  | { readonly type: 'charged'; readonly step: number; readonly before: ReadonlyMap<string, number> }
  /** The last write was refused as a whole: this file differs from the text that it would have replaced. */
  | { readonly type: 'outdated'; readonly path: string }
  | {
      readonly type: 'answered';
      readonly digest: string;
      readonly answer: QuestionAnswer;
      /** The signature of a signed answer is right. */
      readonly isRight?: boolean;
      /** Clock of the decisions about this and the later operations of a message. */
      readonly now: number;
    }
  | {
      readonly type: 'settled';
      readonly step: number;
      readonly settled: SettledCall;
      /** Of a tool. */
      readonly told?: ToldFacts;
      readonly image_hash: string;
      readonly labels?: readonly Label[];
      /** Ids of the sections that its expansions touched. */
      readonly touched?: readonly string[];
    }
  /**
   * A guest reads content. `args` is absent for a search. `checked` holds the results of the schemas of `readChecks`.
   */
  | {
      readonly type: 'read_asked';
      readonly step: number;
      readonly ticket: number;
      readonly name: ContentPower;
      readonly args?: ReadArguments;
      readonly checked: ReadonlyMap<string, SchemaVerdict>;
      readonly labels: readonly Label[];
      readonly now: number;
    }
  /**
   * A guest calls a power of the page. `checked` holds the results of the schemas of `powerChecks` for its argument.
   */
  | {
      readonly type: 'power_asked';
      readonly step: number;
      readonly ticket: number;
      readonly name: string;
      /** JSON text of the list of arguments, not parsed yet. */
      readonly args: string;
      readonly checked: ReadonlyMap<string, SchemaVerdict>;
      /** Labels of the data that the runtime's own powers have shown this call so far. */
      readonly labels: readonly Label[];
      /** Reads by these powers since the last event, and the sections that all of them touched. */
      readonly reads?: SettledReads;
      readonly now: number;
    }
  /**
   * `checked`: the result of the power's result schema; absent if the power has no such schema or there is no result.
   * `timeout`: the page exceeded its time, and a later answer is ignored.
   */
  | {
      readonly type: 'power_answered';
      readonly step: number;
      readonly ticket: number;
      readonly answer: HostAnswer | 'timeout';
      readonly checked?: SchemaVerdict;
    }
  /** The call was taken out of the sandbox; `kept` is the row value to store. */
  | {
      readonly type: 'parked';
      readonly step: number;
      readonly image_hash: string;
      readonly digest: string;
      readonly labels: readonly Label[];
      /** Ids of the sections that its expansions have touched so far. */
      readonly touched: readonly string[];
      readonly kept: unknown;
      readonly reads?: SettledReads;
    }
  /** The call cannot be parked: its heap is too large to be stored, or it has ended. */
  | { readonly type: 'park_failed'; readonly step: number }
  /** A parked call cannot be continued: its stored heap is missing or altered. */
  | { readonly type: 'lost'; readonly step: number }
  /** A person revokes permissions; a running call that depends on them is ended. */
  | ({ readonly type: 'revoked' } & Revocation)
  /** A host's messages were turned away before one of them became a proposal. */
  | {
      readonly type: 'rejected';
      readonly rejection: HostRejection;
      /** As of a proposal: the message may have been meant for a capability that marks data as secret. */
      readonly salt?: string;
    }
  | { readonly type: 'appended' }
  | { readonly type: 'noted' }
  | { readonly type: 'append_failed'; readonly reason: string }
  /** An effect met a defect of the runtime: later actions could not be trusted. */
  | { readonly type: 'broken'; readonly reason: string };

export interface SettledReads {
  readonly calls: readonly AnsweredRead[];
  readonly touched: readonly string[];
}

/** Messages of a host that were turned away, as `RejectionBody` records them. */
export type HostRejection = { readonly from: Wire } & (
  | { readonly refusal: Refusal; readonly bytes?: Uint8Array }
  /** The step whose outcome the sender got. */
  | { readonly of: { readonly run_id: string; readonly step_id: string }; readonly bytes?: Uint8Array }
  | { readonly counts: readonly (ToldReason & { readonly count: number })[] }
);

/** A symbol's row, with the section table of its file. The text is requested when it is delivered. */
export interface ResolvedSymbol {
  readonly row: SymbolRow;
  readonly file?: Pick<IndexedFile, 'file_path' | 'sections'>;
}

/**
 * A person's answer. A yes permits a single call. `standing` extends it to further calls, by count or until the run
 * ends.
 */
export type QuestionAnswer = (
  | {
      readonly approved: true;
      readonly standing?: StandingYes;
      /** A passkey's signature of this very yes, for a grant with `signed`. */
      readonly signed?: Assertion;
      /** The yes is to the call with these arguments instead. */
      readonly instead?: EditedArguments;
    }
  | { readonly approved: false; readonly reason: string }
) & { readonly via?: AnsweredVia };

/** Arguments that a person has edited, with the digest of their call: `EditedQuestion` has both. */
export interface EditedArguments {
  /** JSON text. */
  readonly args: string;
  readonly digest: string;
}

export interface StandingYes {
  readonly args: 'exact' | 'any';
  /** Number of calls, this call included; absent: until the run ends. */
  readonly uses?: number;
}

export interface Ending {
  readonly state: RunEndState;
  readonly code?: Code;
  readonly message?: string;
}
