import type { ContentPower } from '../capability/built-in-power.ts';
import type { CallSettled } from '../capability/call.ts';
import type { Checked } from '../capability/check.ts';
import type { Label } from '../capability/guard.ts';
import type { Revocation } from '../capability/policy.ts';
import type { PowerAnswer } from '../capability/power.ts';
import type { IndexedFile } from '../content/build.ts';
import type { SymbolRow } from '../content/symbol.ts';
import type { Code, GuestError } from '../errors/details.ts';
import type { AnsweredVia, AnswerFacts, RunEndState } from '../ledger/record.ts';

/** What grants of `content.read` are held against: an expansion has a target, its path and a slice, as a READ has. */
export interface ReadArguments {
  readonly target: string;
  readonly path: string;
  readonly slice: string;
}

/**
 * What can happen to a run. `step` says which proposal an answer belongs to: an answer to one that is over is
 * ignored. Every `now` is integer ms and recorded with what it decided.
 */
export type RunEvent =
  | { readonly type: 'start'; readonly task: string }
  | { readonly type: 'step' }
  | { readonly type: 'run' }
  | { readonly type: 'pause' }
  | { readonly type: 'say'; readonly task: string }
  /** A person's abort, or a limit of the run that the outside keeps the clock for. */
  | { readonly type: 'stop'; readonly ending: Ending }
  | {
      readonly type: 'proposed';
      readonly step: number;
      readonly bytes: Uint8Array;
      readonly answer?: AnswerFacts;
      readonly now: number;
      readonly nonce: string;
      /** 256 random bits as 64 hex digits; wanted where the run has a capability that marks something as secret. */
      readonly salt?: string;
    }
  | {
      readonly type: 'model_failed';
      readonly step: number;
      readonly code: 'model_exhausted' | 'model_failed';
      readonly error: GuestError;
      /** The same request may succeed later; where its server says so, after so many ms. */
      readonly retryable?: true;
      readonly after_ms?: number;
    }
  | { readonly type: 'checked'; readonly step: number; readonly results: ReadonlyMap<string, Checked> }
  /** For each symbol that is defined, its row, and the file it stands in where that is indexed. */
  | { readonly type: 'resolved'; readonly step: number; readonly found: ReadonlyMap<string, Found> }
  /** The file as it is now, absent where it is not there, and the symbols that stand for it or for its sections. */
  | {
      readonly type: 'loaded';
      readonly step: number;
      readonly file?: IndexedFile;
      readonly rows: readonly SymbolRow[];
    }
  /** Nothing of the last write was written: this file is not what it would have replaced. */
  | { readonly type: 'outdated'; readonly path: string }
  | { readonly type: 'answered'; readonly digest: string; readonly answer: Answer; readonly now: number }
  | {
      readonly type: 'settled';
      readonly step: number;
      readonly settled: CallSettled;
      readonly image_hash: string;
      readonly labels?: readonly Label[];
      /** Ids of the sections that its expansions touched. */
      readonly touched?: readonly string[];
    }
  /** A guest reads content. `args`: none for a search. `checked`: what the schemas of `readChecks` say of them. */
  | {
      readonly type: 'read_asked';
      readonly step: number;
      readonly ticket: number;
      readonly name: ContentPower;
      readonly args?: ReadArguments;
      readonly checked: ReadonlyMap<string, Checked>;
      readonly labels: readonly Label[];
      readonly now: number;
    }
  /** A guest asks for a power of the page's. `checked`: what the schemas of `powerChecks` say of its argument. */
  | {
      readonly type: 'power_asked';
      readonly step: number;
      readonly ticket: number;
      readonly name: string;
      /** JSON text of the list of arguments, unread. */
      readonly args: string;
      readonly checked: ReadonlyMap<string, Checked>;
      /** What the runtime's own powers have shown this call by now. */
      readonly labels: readonly Label[];
      readonly now: number;
    }
  /**
   * `checked`: what the power's result schema says; absent where it has none or there is no result. `timeout`: the page
   * took too long, and what it still says is not heard.
   */
  | {
      readonly type: 'power_answered';
      readonly step: number;
      readonly ticket: number;
      readonly answer: PowerAnswer | 'timeout';
      readonly checked?: Checked;
    }
  /** The call was taken out of the sandbox; `kept` is what has to be kept of it. */
  | {
      readonly type: 'parked';
      readonly step: number;
      readonly image_hash: string;
      readonly digest: string;
      readonly labels: readonly Label[];
      /** Ids of the sections that its expansions have touched by now. */
      readonly touched: readonly string[];
      readonly kept: unknown;
    }
  /** A parked call cannot be gone on with: what was kept is not there, or is not what it was. */
  | { readonly type: 'lost'; readonly step: number }
  /** A person permits less from now on; a call that runs on what is taken away is ended. */
  | ({ readonly type: 'revoked' } & Revocation)
  | { readonly type: 'appended' }
  | { readonly type: 'noted' }
  | { readonly type: 'append_failed'; readonly reason: string };

/** A symbol's row, with the section table of its file; the text is asked for when it is delivered. */
export interface Found {
  readonly row: SymbolRow;
  readonly file?: Pick<IndexedFile, 'file_path' | 'sections'>;
}

/** A person's yes is to one call. `standing` says more: the same again, for so many times or until the run ends. */
export type Answer = (
  | { readonly approved: true; readonly standing?: StandingYes }
  | { readonly approved: false; readonly reason: string }
) & { readonly via?: AnsweredVia };

export interface StandingYes {
  readonly args: 'exact' | 'any';
  /** This call included; absent: until the run ends. */
  readonly uses?: number;
}

export interface Ending {
  readonly state: RunEndState;
  readonly code?: Code;
  readonly message?: string;
}
