import type { PowerCall, ToldFacts } from '../capability/call.ts';
import { type Charged, withUse } from '../capability/charge.ts';
import type { SchemaVerdict, Validated } from '../capability/check.ts';
import type { EngineName } from '../capability/engine.ts';
import { type GrantUses, KEPT_AT } from '../capability/grant-terms.ts';
import type { Hold, Label } from '../capability/guard.ts';
import type { EarlierSource, HeldOutcome, PlacedHandle } from '../capability/hold.ts';
import { type Grant, type Policy, type Revocation, termsHash } from '../capability/policy.ts';
import type { PowerSet } from '../capability/power.ts';
import type { Bound, Registry } from '../capability/registry.ts';
import type { Budgets } from '../content/budget.ts';
import type { SchemaIssue } from '../errors/details.ts';
import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import type { SignedYes } from '../ledger/kinds/authority.ts';
import type { Carried, Isolation, UndoneRun } from '../ledger/kinds/run.ts';
import type { AnswerFacts } from '../ledger/kinds/step.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { GRANT_LIMITS, type RunLimits } from '../limits.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { Context } from './context.ts';
import type { Consent } from './effect.ts';
import type { Ending } from './event.ts';
import type { AskedQuestion, OpenCall, OpenStep, Plan, Replacement } from './open-step.ts';
import type { PendingPowerCalls } from './pending-power-calls.ts';

/**
 * FemtoClaw's ten states, and AWAITING_APPROVAL. Two more deviations. Message form, which has no legal path in
 * FemtoClaw's own machine, goes PROTOCOL_VALIDATING -> MEMORY_COMMITTING. Every end, of a refusal, a denial or the run,
 * passes MEMORY_COMMITTING, because every end is recorded. `test/core/run/edges.ts` lists every edge.
 */
export type Phase =
  | 'INITIALIZING'
  | 'IDLE'
  | 'INPUT_RECEIVED'
  | 'PROTOCOL_VALIDATING'
  | 'AUTHORIZATION_EVALUATING'
  | 'AWAITING_APPROVAL'
  | 'CAPABILITY_EXECUTING'
  | 'MEMORY_COMMITTING'
  | 'COMPLETED'
  | 'ERROR'
  | 'SHUTDOWN';

/**
 * The facts that decide a run. They are fixed at its start and written to its first record; its policy can only be
 * narrowed.
 */
export interface RunFacts {
  readonly run_id: string;
  readonly dialect: Dialect;
  readonly registry: Registry;
  readonly policy: Policy;
  /** Powers that the page provides to capabilities that declare them. */
  readonly powers?: PowerSet;
  readonly limits: RunLimits;
  readonly limits_hash: string;
  readonly budgets: Budgets;
  /** Id of the model, or the label of the caller. */
  readonly model: string;
  /** Which results the runtime holds, whatever the definitions and grants say. */
  readonly hold?: Hold;
  /** Something that is offered can hold: in this run `{"$held":"h12"}` is a handle. */
  readonly holding?: true;
  /** The run is a session: its caller proposes, and no context is kept. */
  readonly caller?: true;
  /** Who asks: an HMAC with a secret of the ledger. */
  readonly principal?: string;
  /** Labels that the run begins with: of the data that its caller had read before, or of its task and proposals. */
  readonly labels?: readonly Label[];
  /** Sources that earlier runs have handed held values to, by name: the labels that they have, and the stores that hold. */
  readonly sources?: readonly EarlierSource[];
  /** Counts of the sessions of the same caller before. */
  readonly carried?: Carried;
  /** Sessions of the same caller that waited for a person when this one began, sorted. */
  readonly beside?: readonly string[];
  /** Present for the run of an undo: the calls of another run that it takes back. */
  readonly undoes?: UndoneRun;
  /** Origin of a model on another device: the context leaves this device to reach it. */
  readonly remote?: string;
  readonly isolation: Isolation;
  /** The engine that runs the calls. */
  readonly engine: EngineName;
  /** Handed to the model with every request. A server's use of it is unknown here. */
  readonly seed?: number;
  /** Receipts also name the hash of the heap that each call left. */
  readonly heapHash?: true;
  /** Validators precompiled at build time, by schema hash; all other schemas are checked outside. */
  readonly precompiled: ReadonlyMap<string, (value: JsonValue) => readonly SchemaIssue[]>;
}

/** Hash of the limits and budgets of a run, which each verdict names. */
export function limitsHash({ limits, budgets }: Pick<RunFacts, 'limits' | 'budgets'>): string {
  return structureHash('limits', canonicalText({ budgets, limits }));
}

/**
 * The run's current status. Each status holds exactly the data that its next event needs. Where a phase has several
 * statuses, a second tag tells them apart: `waiting`, `about` or `then`.
 */
export type RunStatus =
  | { readonly phase: 'INITIALIZING' | 'IDLE' | 'INPUT_RECEIVED' }
  | { readonly phase: 'PROTOCOL_VALIDATING'; readonly waiting: 'symbols'; readonly open: OpenStep }
  /** The values of the handles were requested. The arguments are as written; those of a message stand in its plans. */
  | {
      readonly phase: 'PROTOCOL_VALIDATING';
      readonly waiting: 'values';
      readonly open: OpenStep;
      readonly call?: Plan;
      readonly handles: readonly PlacedHandle[];
    }
  /** The bits of a release were asked of its grants. `values`: of its handles. */
  | {
      readonly phase: 'PROTOCOL_VALIDATING';
      readonly waiting: 'bits';
      readonly open: OpenStep;
      readonly call: Plan;
      readonly asked: readonly Grant[];
      readonly bits: number;
      readonly values?: ReadonlyMap<string, Uint8Array>;
    }
  | {
      readonly phase: 'PROTOCOL_VALIDATING';
      readonly waiting: 'schemas';
      readonly open: OpenStep;
      readonly bound: Bound;
      readonly argsText: string;
      /** Results of the precompiled validators. */
      readonly here: ReadonlyMap<string, SchemaVerdict>;
      /** The handles of arguments that are checked as they are written. */
      readonly handles?: readonly PlacedHandle[];
    }
  /** The question is being written. It is put to a person when the write is durable. */
  | {
      readonly phase: 'AUTHORIZATION_EVALUATING';
      readonly open: OpenStep;
      readonly call: OpenCall;
      readonly asked: PendingQuestion;
    }
  | {
      readonly phase: 'AWAITING_APPROVAL';
      readonly about: 'call';
      readonly open: OpenStep;
      readonly call: OpenCall;
      readonly asked: PendingQuestion;
    }
  | { readonly phase: 'AWAITING_APPROVAL'; readonly about: 'consent'; readonly consent: Consent }
  /** A running call asked for a power, and a person is asked about that power. */
  | { readonly phase: 'AWAITING_APPROVAL'; readonly about: 'power'; readonly during: Executing }
  | Executing
  | Committing
  | { readonly phase: 'COMPLETED' | 'ERROR' | 'SHUTDOWN' };

/**
 * A permitted call. `intent`: waiting until the intent is durable. `call`: for the sandbox. `text`: for the text of a
 * file. `result`: for the result's schema.
 */
export type Executing = {
  readonly phase: 'CAPABILITY_EXECUTING';
  readonly open: OpenStep;
  readonly call: OpenCall;
  readonly charged: Charged;
  readonly pendingCalls: PendingPowerCalls;
} & ({ readonly waiting: 'intent' | 'call' | 'text' } | { readonly waiting: 'result'; readonly result: ResultInHand });

/** A write is in flight; `then` names the action after it. */
export type Committing = {
  readonly phase: 'MEMORY_COMMITTING';
  /** The point to return to if the content to be written has changed meanwhile. */
  readonly rollback?: { readonly state: RunState; readonly open: OpenStep };
} & (
  | { readonly then: 'idle' | 'propose' | 'replace' | 'sealed' }
  | { readonly then: 'consent'; readonly consent: Consent }
);

export interface PendingQuestion extends AskedQuestion {
  readonly validated: Validated;
}

export interface ResultInHand {
  readonly value: JsonValue;
  readonly text: string;
  readonly evidence: CallEvidence;
}

/** Evidence of a call for its receipt, however the call ended. */
export interface CallEvidence {
  readonly fuel: number;
  readonly image_hash: string;
  readonly heap_hash?: string;
  readonly console: readonly { readonly level: string; readonly text: string }[];
  readonly touched?: readonly string[];
  readonly powerCalls: readonly PowerCall[];
  readonly told?: ToldFacts;
}

/** A stop of the open step. With an ending it ends the run, too. */
export interface StopRequest {
  readonly ending?: Ending;
}

export interface RunState {
  readonly facts: RunFacts;
  readonly at: RunStatus;
  /** Phases entered by the last event, in order: telemetry is derived from them. */
  readonly phasesEntered: readonly Phase[];
  readonly mode: 'paused' | 'stepping' | 'running';
  /** A step was requested while a write was in flight; it begins when the run rests. */
  readonly stepRequested: boolean;
  /** Tasks that came while a step was open, oldest first; they are recorded when the run rests. */
  readonly pendingTasks: readonly string[];
  /** Proposals received. */
  readonly steps: number;
  readonly refusalsInRow: number;
  /** Tokens of all answers so far; absent while the model's server has reported none. */
  readonly tokens?: NonNullable<AnswerFacts['usage']>;
  /** Requests that the model has failed to answer since its last proposal. */
  readonly failures: number;
  /** Reason for waiting until the model is asked again: it gave no answer, and may give an answer later. */
  readonly waiting?: { readonly message: string; readonly after_ms?: number };
  /** ms to wait before the model is asked again. */
  readonly retryMs?: number;
  /** Uses charged, by the grant's id: a use of a standing answer is counted for it and for its parent. */
  readonly used: GrantUses;
  /** Bits that this run has charged, and all runs by then, by the grant's id. */
  readonly released: ReadonlyMap<string, { readonly own: number; readonly all: number }>;
  /** Parent of each standing answer that a person has given, by its id; revoked ones stay. */
  readonly parents: ReadonlyMap<string, string>;
  /**
   * The current policy: the facts' policy, with the permissions that a person has added for this run, and without
   * revoked permissions.
   */
  readonly policy: Policy;
  /** Salts of secret arguments that a person has permitted again, by the hash in their grant. */
  readonly salts: ReadonlyMap<string, string>;
  /** Parts of signed answers that are not whole, by the digests of their questions. */
  readonly parts: ReadonlyMap<string, readonly SignedYes[]>;
  /** Digests of the questions that were answered, each with the number of later answers. */
  readonly answered: ReadonlyMap<string, number>;
  /** A call that a person has put in the place of the last one, and whose step has not begun. */
  readonly replacement?: Replacement;
  /** Number of notes in flight to the ledger. */
  readonly pendingNotes: number;
  /** A revocation that is not recorded yet. */
  readonly revoking?: Revocation;
  /** A person has permitted private content for the remote model. */
  readonly consented: boolean;
  /** Labels of the data that the model has been shown. */
  readonly labels: ReadonlySet<Label>;
  /** UTF-8 bytes of content that all steps have expanded. */
  readonly expandedBytes: number;
  /** The held outcomes of earlier steps, by their handles. */
  readonly held: ReadonlyMap<string, KnownOutcome>;
  /** Labels of the held values that a source was handed, by the source. */
  readonly handed: ReadonlyMap<string, readonly Label[]>;
  /** Hashes of the capabilities that ran with held values. */
  readonly ranHeld: ReadonlySet<string>;
  /** UTF-8 bytes of content that held steps have expanded: they have a budget of their own. */
  readonly heldBytes: number;
  readonly context: Context;
  /** A stop that was requested while a write was in flight; the write is never cut off. */
  readonly stopping?: StopRequest;
  readonly ending?: Ending;
}

/** A held outcome with the payload that holds it: the value, or the refusal of the call. */
export interface KnownOutcome extends HeldOutcome {
  readonly ok: boolean;
  readonly ref: PayloadRef;
  /** Labels that its answers said of themselves: held as the value is. */
  readonly raised?: readonly Label[];
}

/** The state of a run that has not begun; its first event is `start`. */
export function initialState(facts: RunFacts): RunState {
  return {
    facts,
    at: { phase: 'INITIALIZING' },
    phasesEntered: ['INITIALIZING'],
    mode: 'paused',
    stepRequested: false,
    pendingTasks: [],
    steps: 0,
    refusalsInRow: 0,
    failures: 0,
    used: new Map(),
    released: new Map(),
    parents: new Map(),
    policy: facts.policy,
    labels: new Set(facts.labels),
    expandedBytes: 0,
    consented: false,
    salts: new Map(),
    parts: new Map(),
    answered: new Map(),
    pendingNotes: 0,
    held: new Map(),
    handed: new Map(),
    ranHeld: new Set(),
    heldBytes: 0,
    context: undefined,
    ...(facts.carried && begunWith(facts.carried, facts.policy)),
  };
}

/**
 * How each member of a run's state begins in a session that goes on for the caller of another session: anew, or with
 * what was carried over. A member that is missing here does not compile.
 */
const SUCCESSION: {
  readonly [M in keyof Required<RunState>]: 'anew' | ((carried: Carried, policy: Policy) => RunState[M]);
} = {
  facts: 'anew',
  at: 'anew',
  phasesEntered: 'anew',
  mode: 'anew',
  stepRequested: 'anew',
  pendingTasks: 'anew',
  // Each run numbers its own steps: the limit counts those before from the facts.
  steps: 'anew',
  refusalsInRow: ({ refusals_in_row }) => refusals_in_row,
  // A session has no model.
  tokens: 'anew',
  failures: 'anew',
  waiting: 'anew',
  retryMs: 'anew',
  used: ({ used }, policy) => {
    const byTerms = new Map(used.map(({ terms, ...use }) => [terms, use]));
    return new Map(
      limitedOf(policy).flatMap(({ id, terms }) => {
        const use = byTerms.get(terms);
        return use === undefined ? [] : [[id, use] as const];
      }),
    );
  },
  // The store counts them over all runs.
  released: 'anew',
  // A standing answer ends with its run.
  parents: 'anew',
  policy: 'anew',
  salts: 'anew',
  // A question ends with its run.
  parts: 'anew',
  answered: 'anew',
  replacement: 'anew',
  pendingNotes: 'anew',
  revoking: 'anew',
  consented: 'anew',
  // The labels stand in the facts.
  labels: 'anew',
  expandedBytes: ({ expanded_bytes }) => expanded_bytes,
  // Handles name steps of this run, and so do the sources that were handed their values.
  held: 'anew',
  handed: 'anew',
  ranHeld: 'anew',
  heldBytes: 'anew',
  context: 'anew',
  stopping: 'anew',
  ending: 'anew',
};

function begunWith(carried: Carried, policy: Policy): Partial<RunState> {
  const begun = Object.entries(SUCCESSION).map(([member, begin]) =>
    begin === 'anew' ? {} : { [member]: begin(carried, policy) },
  );
  return Object.assign({}, ...begun) as Partial<RunState>;
}

/** What the session after this one takes over. `elapsed_ms`: time of this one. */
export function carriedFrom(
  { facts, steps, refusalsInRow, expandedBytes, used, labels }: RunState,
  elapsed_ms: number,
): Required<Pick<RunFacts, 'labels' | 'carried'>> {
  const before = facts.carried;
  // a grant that this session lacked keeps its uses for the sessions after it
  const uses = new Map((before?.used ?? []).map((use) => [use.terms, use]));
  for (const { id, terms } of limitedOf(facts.policy)) {
    const use = used.get(id);
    // of grants of two definitions with the same terms, one alone could be used
    if (use !== undefined && use.count >= (uses.get(terms)?.count ?? 0)) uses.set(terms, { terms, ...use });
  }
  const carried: Carried = {
    steps: steps + (before?.steps ?? 0),
    refusals_in_row: refusalsInRow,
    expanded_bytes: expandedBytes,
    elapsed_ms: elapsed_ms + (before?.elapsed_ms ?? 0),
    used: [...uses.values()].sort((a, b) => (a.terms < b.terms ? -1 : 1)),
  };
  return { labels: [...labels], carried };
}

/** What a session takes over from the one before. */
export type TakenOver = ReturnType<typeof carriedFrom>;

/**
 * True for a session that waits for a person's yes to a call of a tool. The call decides nothing more afterwards: a
 * program of the sandbox may make further calls, so nothing can go on beside it.
 */
export function mayFork({ facts, at }: RunState): boolean {
  if (!facts.caller || at.phase !== 'AWAITING_APPROVAL' || at.about !== 'call') return false;
  return at.asked.validated.capability.manifest.host !== undefined;
}

/** What a session takes over from one that waits for a person. The open call has a use of each of its grants kept. */
export function forkedFrom(state: RunState, elapsed_ms: number): TakenOver {
  const { at, policy } = state;
  const name =
    at.phase === 'AWAITING_APPROVAL' && at.about === 'call' ? at.asked.validated.capability.manifest.name : '';
  const own = policy.grants.filter(({ capability }) => capability === name);
  const used = own.reduce((before, { id }) => withUse(before, { id }, KEPT_AT), state.used);
  return carriedFrom({ ...state, used }, elapsed_ms);
}

/** What was taken over, with what a session has come to that waited for a person in the state `asking`, and is over now. */
export function joined(taken: TakenOver, asking: RunState, ended: RunState, elapsed_ms: number): TakenOver {
  const [before, kept, after] = [carriedFrom(asking, 0), forkedFrom(asking, 0), carriedFrom(ended, elapsed_ms)];
  const [was, is, mine] = [before.carried, after.carried, taken.carried];
  const countOf = ({ used }: Carried, of: string): number => used.find(({ terms }) => terms === of)?.count ?? 0;
  const uses = [...new Map([...is.used, ...mine.used].map((use) => [use.terms, use])).values()].map(({ terms }) => {
    const made = countOf(is, terms) - countOf(was, terms);
    const held = countOf(kept.carried, terms) - countOf(was, terms);
    const recentOf = ({ used }: Carried) => used.find((use) => use.terms === terms)?.recent ?? [];
    const others = recentOf(mine);
    const first = others.indexOf(KEPT_AT);
    const free = others.filter((_, nth) => held === 0 || nth !== first);
    const recent = [...free, ...(made > 0 ? recentOf(is).slice(-made) : [])].sort((a, b) => a - b);
    return { terms, count: countOf(mine, terms) + made - held, recent: recent.slice(-GRANT_LIMITS.rateCalls) };
  });
  const carried: Carried = {
    steps: mine.steps + is.steps - was.steps,
    // what came between two refusals is not known in order: nothing ends the row
    refusals_in_row: mine.refusals_in_row + Math.max(0, is.refusals_in_row - was.refusals_in_row),
    expanded_bytes: mine.expanded_bytes + is.expanded_bytes - was.expanded_bytes,
    elapsed_ms: Math.max(mine.elapsed_ms, is.elapsed_ms),
    used: uses.sort((a, b) => (a.terms < b.terms ? -1 : 1)),
  };
  return { labels: [...new Set([...taken.labels, ...after.labels])].sort(), carried };
}

/** The grants that limit their uses, each with the hash that its uses are carried over by. */
function limitedOf({ grants }: Policy): readonly { readonly id: string; readonly terms: string }[] {
  const limited = grants.filter(({ uses, rate }) => uses !== undefined || rate !== undefined);
  return limited.map((grant) => ({ id: grant.id, terms: termsHash(grant) }));
}
