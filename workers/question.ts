/** What a person is asked, or rules of somebody else's, and what they may answer. */

import type { Effect } from '../core/capability/guard.ts';
import type { Answer } from '../core/run/event.ts';

export interface ApprovalRequest {
  readonly run_id: string;
  readonly step_id: string;
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: Effect;
  /** Canonical JSON text of the exact arguments. */
  readonly args: string;
  readonly digest: string;
  readonly reason: string;
}

/** A question as it stands open. */
export interface OpenQuestion extends ApprovalRequest {
  /** Put to the runtime's `authorizer`, because a grant permits it; any other question is a person's. */
  readonly why?: 'authorizer';
}

/**
 * Rules of somebody else's, such as Cedar's or OPA's: asked about every call that a grant permits, and before a person is
 * asked about one. They only narrow: what no grant permits they are not asked about, and where a person's yes is needed
 * theirs is none. Who throws, or answers with anything else or too late, says no.
 */
export interface Authorizer {
  /** Which rules these are, such as their hash: part of each run's policy, and so of the hash that its decisions name. */
  readonly id: string;
  authorize(
    request: OpenQuestion,
    io: { readonly signal: AbortSignal },
  ): Promise<{ readonly allow: true } | { readonly allow: false; readonly reason: string }>;
  /** ms; 10,000 unless it is said */
  readonly timeoutMs?: number;
}

/**
 * Yes to this very call; with `standing`, also a grant for the rest of this run. Or no, and why: the model is told. `via`
 * is what the record says of how it came about: `program`, unless a face saw a person's own gesture and says so.
 */
export type ApprovalAnswer = Answer;

/** May private content go to a model elsewhere? Asked once for a run, when it first would. */
export interface ConsentRequest {
  readonly run_id: string;
  readonly origin: string;
  /** UTF-8 bytes of everything the model would be shown by now. */
  readonly bytes: number;
  /** The most that any one request of this run holds, this one and those that follow. */
  readonly bytes_max: number;
  readonly digest: string;
}
