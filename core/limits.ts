/**
 * Every limit of the runtime, with its reason. A limit is a constant of the runtime or of a capability; a budget
 * (`content/budget.ts`) is spent by a message.
 */

/** Bounds on the bytes of a proposal, checked in this order by `decode`. */
export interface DecodeLimits {
  /** Checked before any byte is read. 1 MiB is ten times the longest proposal we have seen. */
  readonly bytes: number;
  /** Native code overflows on deep values (`JSON.stringify` at 10,000); people write fewer than 20 levels. */
  readonly depth: number;
  /** Number of values. Bounds the cost of a megabyte of `[[],[],…]` for every later step. */
  readonly nodes: number;
}

export const DECODE_LIMITS: DecodeLimits = { bytes: 1 << 20, depth: 64, nodes: 100_000 };

/** Greatest depth that a caller of `decode` may allow. Recursive code uses at least a stack frame for each level. */
export const DEPTH_MOST = 1000;

/** Operations of a message. Without this limit a single step could do the work of many and evade the limit of steps. */
export const OPERATIONS_MAX = 100;

/** Bounds on a call of a capability. Each has its own outcome; the first to fire wins. */
export interface CallLimits {
  /** QuickJS interrupt operations, exact and the same in every engine: about 2 per loop turn, 3 per call. */
  readonly fuel: number;
  /** Hard maximum of the WASM memory, in bytes, a multiple of 64 KiB. */
  readonly memoryBytes: number;
  /** Guest stack, 512 bytes more a frame than C needs. Far above 400 KiB a host's own stack may overflow first. */
  readonly stackBytes: number;
  /**
   * Wall clock, ms. At least ten times the time that full fuel takes, so that fuel, which can be replayed, decides
   * first.
   */
  readonly deadlineMs: number;
  /** Promise jobs. Jobs below the interrupt's grain are seen only by the host's loop. */
  readonly jobs: number;
  readonly powerCalls: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly consoleBytes: number;
}

/**
 * The one table of the limits of a call: `usual` where a definition gives none, `most` that a definition may ask for,
 * `tool` where a tool has more, and the part that observes the limit. `meter`: the engine's poll. `engine`: the module's
 * own memory and stack. `count`: compared with a count of the call (`sandbox/call.ts`). `console`: its lines. A limit
 * that its part does not name does not compile. The engine cannot honour more than `most`: the module's own memory ends
 * at 2 GiB, its C stack at 5 MiB, and a timer of a browser at 24 days.
 */
export const CALL_LIMIT_TABLE = {
  fuel: { usual: 10_000_000, most: 9_007_199_254_740_991, observer: 'meter' },
  memoryBytes: { usual: 33_554_432, most: 1_073_741_824, observer: 'engine' },
  stackBytes: { usual: 262_144, most: 4_194_304, observer: 'engine' },
  deadlineMs: { usual: 10_000, most: 86_400_000, tool: 300_000, observer: 'meter' },
  jobs: { usual: 10_000, most: 9_007_199_254_740_991, observer: 'count' },
  powerCalls: { usual: 64, most: 1_000_000, observer: 'count' },
  bytesIn: { usual: 1_048_576, most: 1_073_741_824, observer: 'count' },
  bytesOut: { usual: 262_144, most: 1_073_741_824, tool: 1_048_576, observer: 'count' },
  consoleBytes: { usual: 65_536, most: 1_073_741_824, observer: 'console' },
} as const;

/** Names of the limits of a call that a part of the call observes. */
export type CallLimitOf<O> = NamesOf<typeof CALL_LIMIT_TABLE, O>;

type NamesOf<T extends { readonly [name: string]: { readonly observer: string } }, O> = {
  [L in keyof T]: T[L]['observer'] extends O ? L : never;
}[keyof T];

interface CallLimitRow {
  readonly usual: number;
  readonly most: number;
  readonly tool?: number;
  readonly observer: 'meter' | 'engine' | 'count' | 'console';
}
const CALL_ROWS: { readonly [L in keyof CallLimits]: CallLimitRow } = CALL_LIMIT_TABLE;

function callLimits(value: (row: CallLimitRow) => number): CallLimits {
  return Object.fromEntries(
    Object.entries(CALL_ROWS).map(([name, row]) => [name, value(row)]),
  ) as unknown as CallLimits;
}

export const CALL_LIMITS: CallLimits = /* @__PURE__ */ callLimits(({ usual }) => usual);

/** The most that a definition may ask for. */
export const CALL_LIMITS_MOST: CallLimits = /* @__PURE__ */ callLimits(({ most }) => most);

/** Bounds on a call of a tool: the program may take as long as for a power, and its result as much as a proposal. */
export const TOOL_LIMITS: CallLimits = /* @__PURE__ */ callLimits(({ usual, tool = usual }) => tool);

/** The check that an observer names each of its limits is the type: what it left must be nothing. */
export function allNamed(_left: { readonly [limit: string]: never }): void {}

/** Bounds on a run: the system owns the loop (XCT 5), so it is the system that ends it. */
export interface RunLimits {
  /** Proposals asked for. */
  readonly steps: number;
  /** A model that is refused this often in a row is not going to recover. */
  readonly refusalsInRow: number;
  /** Wall clock, ms, from the start of a turn or from its resumption: the time in between does not count. */
  readonly wallMs: number;
  readonly proposalBytes: number;
  /** Content that all steps together may expand, in UTF-8 bytes, beside the budget of each step: repeats count. */
  readonly expandedBytes: number;
  /** Tokens that an answer of the model may have. The model's server counts them. */
  readonly answerTokens: number;
  /**
   * Most UTF-8 bytes of a run's history in a request to a model, without the list of capabilities. A person's consent
   * covers this history. A task may fill fifteen sixteenths of it, and leaves `REPLY_BYTES` free.
   */
  readonly contextBytes: number;
  /**
   * Tokens of all requests and answers of the run together, as the model's server counts them. A run that has used them
   * asks its model no more. Absent, or where the server reports no tokens, they are not limited.
   */
  readonly tokens?: number;
  /**
   * Number of consecutive retries of the model by the run itself after a temporary failure; a further failure ends the
   * run. Absent, the run never asks again by itself: it waits for its program after each such failure.
   */
  readonly modelFailuresInRow?: number;
}

/**
 * The one table of the limits of a run: `run` where its program gives none, `session` where a session has another, the
 * `least` that may be given, and the part that observes the limit. `count`: compared with a count of the run
 * (`core/run/commit/commit.ts`). `gate`: the size of a proposal. `content`: what expansions may take. `request`: the size
 * of a request to the model. `clock`: the time of a turn. `retry`: failures of the model. A limit without `run` is absent
 * unless it is given. With `caller` it also limits a session, whose caller proposes. Options, records, and the
 * configuration of the gateway follow from the table; a limit that its part does not name does not compile.
 */
const RUN_LIMIT_TABLE = {
  steps: { run: 100, session: 9_007_199_254_740_991, least: 0, caller: true, observer: 'count' },
  refusalsInRow: { run: 10, session: 9_007_199_254_740_991, least: 0, caller: true, observer: 'count' },
  wallMs: { run: 3_600_000, session: 9_007_199_254_740_991, least: 0, caller: true, observer: 'clock' },
  proposalBytes: { run: 1_048_576, least: 0, caller: true, observer: 'gate' },
  expandedBytes: { run: 1_048_576, least: 0, caller: true, observer: 'content' },
  answerTokens: { run: 1024, least: 1, caller: false, observer: 'request' },
  contextBytes: { run: 65_536, least: 1024, caller: false, observer: 'request' },
  tokens: { least: 1, caller: false, observer: 'count' },
  modelFailuresInRow: { least: 0, caller: false, observer: 'retry' },
} as const;

/** Names of the limits of a run that a part of the runtime observes. */
export type RunLimitOf<O> = NamesOf<typeof RUN_LIMIT_TABLE, O>;

/** Names of the limits that hold for the caller of a session, too. */
export type CallerLimit = {
  [L in keyof typeof RUN_LIMIT_TABLE]: (typeof RUN_LIMIT_TABLE)[L]['caller'] extends true ? L : never;
}[keyof typeof RUN_LIMIT_TABLE];

export interface RunLimitRow {
  readonly run?: number;
  readonly session?: number;
  readonly least: number;
  readonly caller: boolean;
  readonly observer: 'count' | 'gate' | 'content' | 'request' | 'clock' | 'retry';
}

export const RUN_LIMIT_ROWS: { readonly [L in keyof RunLimits]-?: RunLimitRow } = RUN_LIMIT_TABLE;

/** The limits that a part of the runtime observes. */
export function limitsFor<O extends RunLimitRow['observer']>(
  limits: RunLimits,
  _observer: O,
): Pick<RunLimits, RunLimitOf<O>> {
  return limits;
}

function runLimits(value: (row: RunLimitRow) => number | undefined): RunLimits {
  const given = Object.entries(RUN_LIMIT_ROWS).flatMap(([name, row]) => {
    const limit = value(row);
    return limit === undefined ? [] : [[name, limit] as const];
  });
  return Object.fromEntries(given) as unknown as RunLimits;
}

export const RUN_LIMITS: RunLimits = /* @__PURE__ */ runLimits(({ run }) => run);

/** Limits of a session, unless its caller gives others: the caller owns the loop. */
export const SESSION_LIMITS: RunLimits = /* @__PURE__ */ runLimits(({ run, session = run }) => session);

/** UTF-8 bytes of a task, however much a request may hold. */
const TASK_BYTES = 60 << 10;

/** UTF-8 bytes in which every reply has a form: its code, the beginning of its pointer, and its sentence. */
export const REPLY_BYTES = 512;

/** UTF-8 bytes of a task. It is shown with every request, and leaves room for the newest reply. */
export function taskBytes({ contextBytes = RUN_LIMITS.contextBytes }: Partial<RunLimits>): number {
  return Math.min(TASK_BYTES, Math.floor((contextBytes / 16) * 15), contextBytes - REPLY_BYTES);
}

/** Bytes that are kept of a proposal over the size limit, beside its hash and length. */
export const PROPOSAL_KEPT_BYTES: number = 64 << 10;

/** UTF-8 bytes up to which the whole answer of a tool is kept beside its value. Of a longer one the hash and the length stay. */
export const ANSWER_KEPT_BYTES: number = 12 << 20;

/**
 * UTF-8 bytes of content that are kept with an operation that read it, so that its reading can be made again. Most
 * files fit; a whole corpus does not get into the ledger.
 */
export const SOURCE_BYTES: number = 64 << 10;

/** Sections that are kept as targets of a message's symbols, for the same reason: 80 bytes each. */
export const RESOLVED_SECTIONS = 500;

/** Limits of a capability's definition. Names are compared by code unit, without normalisation. */
export const CAPABILITY_LIMITS = {
  nameLength: 64,
  sourceBytes: 1_048_576,
  /** ajv's generated code overflows the guest's stack beyond these (measured at 69 nested objects). */
  schemaDepth: 32,
  schemaProperties: 1_000,
  schemaBytes: 65_536,
  /** Branches of an `anyOf` or `oneOf`: their code nests, and the guest's stack ends between 400 and 800. */
  schemaAlternatives: 200,
} as const;

/** Bounds on the rates of a grant: every use remembers its time, and a decision reads them all. */
export const GRANT_LIMITS = {
  rates: 4,
  /** Calls that a rate can count. */
  rateCalls: 1_000,
  /** Bits of small results; with more, nothing would be bounded. */
  releaseBits: 65_536,
  /** A year. */
  rateWindowMs: 31_536_000_000,
  /** A day. */
  watchMs: 86_400_000,
  /** Characters of its note. */
  watchNote: 200,
  /** Passkeys that a grant can name. */
  signers: 32,
} as const;

/** Characters of different arguments from which rules are proposed. */
export const HISTORY_LIMIT: number = 64 * 1024 * 1024;

/** ms that the page may take for a use of a power. Waiting costs a call no fuel; a run that waits for ever is lost. */
export const POWER_TIMEOUT_MS: { readonly default: number; readonly most: number } = {
  default: CALL_LIMIT_TABLE.deadlineMs.tool,
  most: CALL_LIMIT_TABLE.deadlineMs.most,
};

/**
 * Bytes of a call that waits, its changed pages and its answers, that are written beside the log: a hundred times the
 * need of most calls. A call with more stays in its sandbox, where waiting costs memory and no disk, and ends with its
 * process.
 */
export const PARKED_BYTES: number = 4 << 20;

/** Bounds on the storage of capabilities: a note or a table each, not a database. */
export const KEPT_LIMITS = {
  /** UTF-16 units. */
  keyUnits: 256,
  /** UTF-8 bytes of the value's canonical JSON text. */
  valueBytes: 65_536,
  /** For each name of a capability. Counted at each put, so two runs at once may exceed it together. */
  keys: 256,
} as const;

/** Bounds on a value to be written canonically: every value that `decode` accepts, inside wrappers of our own. */
export const CANONICAL_LIMITS = {
  /** `DEPTH_MOST`, and 64 levels for the record around the value. A cycle ends here. */
  depth: 1_064,
  /** A value shared over and over ends here. */
  nodes: 4_000_000,
  /** UTF-16 units of the text. With every unit escaped it is still shorter than any engine's longest string. */
  units: 67_108_864,
} as const;
