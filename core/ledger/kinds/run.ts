import type { EngineName } from '../../capability/engine.ts';
import { type Hold, LABELS, type Label } from '../../capability/guard.ts';
import type { EarlierSource } from '../../capability/hold.ts';
import type { Budgets } from '../../content/budget.ts';
import type { RefusalClass } from '../../errors/details.ts';
import type { Code } from '../../errors.ts';
import { isHash } from '../../hash.ts';
import { isCount } from '../../json/value.ts';
import { RUN_LIMIT_ROWS, type RunLimits } from '../../limits.ts';
import type { DialectVersion } from '../../protocol/dialect.ts';
import {
  arrayOf,
  type Form,
  type Forms,
  isPlainRef,
  isProposalRef,
  isRunId,
  isText,
  isUuid8,
  isWholeRef,
  isWord,
  oneOf,
  optional,
  shaped,
  type Test,
} from '../form.ts';
import type { PayloadRef } from '../payload-ref.ts';
import { type AnsweredVia, isDialect, isLabels, isVia, RULES } from './parts.ts';

export type Isolation = 'locked' | 'unlocked' | 'development' | 'node';

export type RunEndState = 'completed' | 'aborted' | 'failed' | 'limit';

/**
 * What a session takes over from the session before it of the same caller, beside the labels: what its limits and its
 * grants count is counted on.
 */
export interface Carried {
  /** Proposals received. */
  readonly steps: number;
  readonly refusals_in_row: number;
  /** UTF-8 bytes of content that all steps have expanded. */
  readonly expanded_bytes: number;
  /** ms for which the sessions before were open. */
  readonly elapsed_ms: number;
  /**
   * Uses of the grants that limit their uses, with the recorded times of the latest. `terms` is the hash of the terms
   * and of the capability's name, so that a changed definition of the capability begins no count anew.
   */
  readonly used: readonly { readonly terms: string; readonly count: number; readonly recent: readonly number[] }[];
}

/** The calls of another run that a run takes back, each by a call of its own: its first by its first, and so on. */
export interface UndoneRun {
  readonly run_id: string;
  /** The step that was asked for; with neither this nor `back_to` the whole run. */
  readonly step?: number;
  /** The last step that was to stay; 0: none. */
  readonly back_to?: number;
  /** Newest first. */
  readonly calls: readonly UndoneCall[];
  /** Calls of that run with an effect, later than these, that stay. */
  readonly later_calls: number;
  /** Runs that began later than these calls: they may rest on them. */
  readonly later_runs: number;
}

/** A call that is taken back. */
export interface UndoneCall {
  readonly step: number;
  readonly step_id: string;
  /** Index of an operation of a message, from 0. */
  readonly operation?: number;
  /** Number of a call that guest code made while it ran. */
  readonly ticket?: number;
  readonly capability: string;
  readonly capability_hash: string;
  /** Its step was secret, or held values are among what its `revert` is given. */
  readonly secret?: true;
  /** Held values in what its `revert` is given. */
  readonly carries?: readonly CarriedPlace[];
}

/** A held value in the arguments of a call. */
export interface CarriedPlace {
  /** JSON pointer of its place; empty for the arguments as a whole. */
  readonly pointer: string;
  readonly labels: readonly Label[];
  readonly handle?: string;
  readonly sources: readonly string[];
}

/** All inputs of a run's decisions; later records name them only by hashes. */
export interface ConfigurationBody {
  readonly format: 'sallyport/1';
  readonly dialect: DialectVersion;
  /**
   * `BEHAVIOUR` of the build that wrote the run. Under another number only form, hashes, links and anchor are checked.
   */
  readonly behaviour: number;
  readonly registry: PayloadRef;
  readonly registry_hash: string;
  readonly policy: PayloadRef;
  readonly policy_hash: string;
  /** Manifests of the powers that the page provides; absent where it provides no power. */
  readonly powers?: PayloadRef;
  readonly powers_hash?: string;
  readonly limits: RunLimits;
  readonly limits_hash: string;
  readonly budgets: Budgets;
  /** Id of the model, or the label of the caller of a session. */
  readonly model: string;
  /** The run is a session: its caller proposed. */
  readonly caller?: true;
  /** Whoever asked, on the word of the program: an HMAC with a secret of the ledger, the same in all its runs. */
  readonly principal?: string;
  /** Which results the runtime holds; absent: those that definitions, powers and grants name. */
  readonly hold?: Hold;
  /** Something that is offered can hold. */
  readonly holding?: true;
  /** Sources that earlier runs have handed held values to, by name. */
  readonly sources?: readonly EarlierSource[];
  /** Labels that the run began with, sorted. */
  readonly labels?: readonly Label[];
  /** Present for a session that goes on for the caller of another session. */
  readonly carried?: Carried;
  /** Sessions of the same caller that waited for a person when this one began, sorted: their ends were not known. */
  readonly beside?: readonly string[];
  /** Present for the run of an undo. */
  readonly undoes?: UndoneRun;
  readonly remote?: string;
  readonly isolation: Isolation;
  readonly engine: EngineName;
  readonly seed?: number;
  /** Receipts also tell the hash of the heap that each call left. */
  readonly heap_hash?: true;
}

/** The wire that a message of a host came on. */
export type Wire = (typeof WIRES)[number];

const WIRES = ['mcp', 'ai'] as const;

/** Class and code that the sender of a message was told. */
export interface ToldReason {
  readonly class: RefusalClass;
  readonly code: Code;
}

/**
 * Messages of a host that were turned away before one of them became a proposal: malformed, forged, too large, or after
 * the end of a session. `from` names the wire. `message`: a single message, with its bytes as they came; absent where
 * they were not read. `told`: the text of the refusal that its sender got. `flood`: further messages within a second.
 * `taken`: a call like one before, whose sender was told to come back; it got the outcome of that step. `answer`: an answer
 * to a question that had been answered.
 */
export type RejectionBody =
  | (ToldReason & {
      readonly event: 'message';
      readonly from: Wire;
      readonly payload?: PayloadRef;
      readonly told: PayloadRef;
    })
  | (ToldReason & {
      readonly event: 'answer';
      readonly digest: string;
      readonly approved: boolean;
      readonly via?: AnsweredVia;
    })
  | {
      readonly event: 'taken';
      readonly from: Wire;
      readonly payload?: PayloadRef;
      readonly of: { readonly run_id: string; readonly step_id: string };
    }
  | {
      readonly event: 'flood';
      readonly from: Wire;
      readonly counts: readonly (ToldReason & { readonly count: number })[];
    };

/** Kinds of the run itself: its start, its tasks, its resumptions, the messages that it never took, and its end. */
export interface RunBodies {
  configuration: ConfigurationBody;
  task: { readonly text: PayloadRef };
  /** `model_failed`: the model gave no answer, and may answer later; `after_ms` as its server says. */
  state: {
    readonly event: 'resumed' | 'interrupted' | 'model_failed';
    readonly reason?: PayloadRef;
    readonly after_ms?: number;
  };
  rejection: RejectionBody;
  seal: {
    readonly state: RunEndState;
    readonly code?: Code;
    readonly steps: number;
    readonly message?: PayloadRef;
  };
}

/** A limit without a value of its own may be absent. */
function limitForms(): Form<RunLimits> {
  const forms = Object.entries(RUN_LIMIT_ROWS).map(([name, { run }]) => [
    name,
    run === undefined ? optional(isCount) : isCount,
  ]);
  return Object.fromEntries(forms) as unknown as Form<RunLimits>;
}

const CARRIED: Form<Carried> = {
  steps: isCount,
  refusals_in_row: isCount,
  expanded_bytes: isCount,
  elapsed_ms: isCount,
  used: arrayOf(shaped({ terms: isHash, count: isCount, recent: arrayOf(isCount) })),
};
const CARRIED_PLACE: Form<CarriedPlace> = {
  pointer: isText,
  labels: isLabels,
  handle: optional(isText),
  sources: arrayOf(isText),
};
const UNDONE_CALL: Form<UndoneCall> = {
  step: isCount,
  step_id: isUuid8,
  operation: optional(isCount),
  ticket: optional(isCount),
  capability: isText,
  capability_hash: isHash,
  secret: optional(oneOf(true)),
  carries: optional(arrayOf(shaped(CARRIED_PLACE))),
};
const UNDONE_RUN: Form<UndoneRun> = {
  run_id: isRunId,
  step: optional(isCount),
  back_to: optional(isCount),
  calls: arrayOf(shaped(UNDONE_CALL)),
  later_calls: isCount,
  later_runs: isCount,
};
const SOURCE: Form<EarlierSource> = { source: isText, labels: isLabels, held: optional(oneOf(true)) };
const ENGINE_FORM: Form<EngineName> = { name: isText, hash: isHash };
const TOLD: Form<ToldReason> = { class: isWord, code: isWord };
const isWire: Test = oneOf(...WIRES);

export const RUN_FORMS: Forms<RunBodies> = {
  configuration: {
    ...RULES,
    format: oneOf('sallyport/1'),
    dialect: isDialect,
    registry: isPlainRef,
    policy: isPlainRef,
    policy_hash: isHash,
    powers: optional(isPlainRef),
    powers_hash: optional(isHash),
    limits: shaped(limitForms()),
    limits_hash: isHash,
    budgets: shaped({
      max_symbols: isCount,
      max_sections: isCount,
      max_bytes_expanded: isCount,
      max_expands_per_step: isCount,
    }),
    model: isText,
    caller: optional(oneOf(true)),
    principal: optional(isHash),
    hold: optional(oneOf('all', ...LABELS)),
    holding: optional(oneOf(true)),
    sources: optional(arrayOf(shaped(SOURCE))),
    labels: optional(isLabels),
    carried: optional(shaped(CARRIED)),
    beside: optional(arrayOf(isRunId)),
    undoes: optional(shaped(UNDONE_RUN)),
    remote: optional(isText),
    isolation: oneOf('locked', 'unlocked', 'development', 'node'),
    engine: shaped(ENGINE_FORM),
    seed: optional(isCount),
    heap_hash: optional(oneOf(true)),
  },
  task: { text: isPlainRef },
  state: {
    event: oneOf('resumed', 'interrupted', 'model_failed'),
    reason: optional(isPlainRef),
    after_ms: optional(isCount),
  },
  rejection: {
    byEvent: {
      message: {
        ...TOLD,
        event: oneOf('message'),
        from: isWire,
        payload: optional(isProposalRef),
        told: isWholeRef,
      },
      answer: {
        ...TOLD,
        event: oneOf('answer'),
        digest: isHash,
        approved: oneOf(true, false),
        via: optional(isVia),
      },
      taken: {
        event: oneOf('taken'),
        from: isWire,
        payload: optional(isProposalRef),
        of: shaped({ run_id: isRunId, step_id: isUuid8 }),
      },
      flood: { event: oneOf('flood'), from: isWire, counts: arrayOf(shaped({ ...TOLD, count: isCount })) },
    },
  },
  seal: {
    state: oneOf('completed', 'aborted', 'failed', 'limit'),
    code: optional(isWord),
    steps: isCount,
    message: optional(isPlainRef),
  },
};
