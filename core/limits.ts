/**
 * Every bound of ours with its reason. A limit is a constant of the runtime or of a capability; what a
 * message may spend is a budget (`content/budget.ts`).
 */

/** Bounds on the bytes of one proposal, checked in this order by `decode`. */
export interface DecodeLimits {
  /** Checked before anything looks at a byte. 1 MiB is ten times the longest proposal we have seen. */
  readonly bytes: number;
  /** Native code overflows on deep values (`JSON.stringify` at 10,000); people write fewer than 20 levels. */
  readonly depth: number;
  /** Values in all. Bounds what a megabyte of `[[],[],…]` costs every later step. */
  readonly nodes: number;
}

export const DECODE_LIMITS: DecodeLimits = { bytes: 1 << 20, depth: 64, nodes: 100_000 };

/** Greatest depth that a caller of `decode` may allow. Recursive code uses one stack frame or more for each level. */
export const DEPTH_MOST = 1000;

/** Operations of one message: with more, a single step would do what the limit of steps keeps a run from. */
export const OPERATIONS_MAX = 100;

/** Bounds on one call of a capability. Each has its own outcome; the first to fire wins. */
export interface CallLimits {
  /** QuickJS interrupt operations, exact and the same in every engine: about 2 per loop turn, 3 per call. */
  readonly fuel: number;
  /** Hard maximum of the WASM memory, in bytes, a multiple of 64 KiB. */
  readonly memoryBytes: number;
  /** Guest stack, 512 bytes more a frame than C needs. Far above 400 KiB a host's own stack may overflow first. */
  readonly stackBytes: number;
  /** Wall clock, ms. At least ten times what full fuel takes, so that fuel, which can be replayed, decides first. */
  readonly deadlineMs: number;
  /** Promise jobs. Jobs below the interrupt's grain are seen only by the host's loop. */
  readonly jobs: number;
  readonly powerCalls: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly consoleBytes: number;
}

export const CALL_LIMITS: CallLimits = {
  fuel: 10_000_000,
  memoryBytes: 32 << 20,
  stackBytes: 256 << 10,
  deadlineMs: 10_000,
  jobs: 10_000,
  powerCalls: 64,
  bytesIn: 1 << 20,
  bytesOut: 256 << 10,
  consoleBytes: 64 << 10,
};

/**
 * The most that a definition may ask for. Beyond these the engine does not do what the number says: the module's own
 * memory ends at 2 GiB, its C stack at 5 MiB, and a timer of a browser at 24 days.
 */
export const CALL_LIMITS_MOST: CallLimits = {
  fuel: Number.MAX_SAFE_INTEGER,
  memoryBytes: 1 << 30,
  stackBytes: 4 << 20,
  deadlineMs: 86_400_000,
  jobs: Number.MAX_SAFE_INTEGER,
  powerCalls: 1_000_000,
  bytesIn: 1 << 30,
  bytesOut: 1 << 30,
  consoleBytes: 1 << 30,
};

/** Bounds on one run: the system owns the loop (XCT 5), so it is the system that ends it. */
export interface RunLimits {
  /** Proposals asked for. */
  readonly steps: number;
  /** A model that is refused this often in a row is not going to recover. */
  readonly refusalsInRow: number;
  /** From the start of a turn, or from where a run was taken up again: what lies between is nobody's working time. */
  readonly wallMs: number;
  readonly proposalBytes: number;
  /** Content that all steps together may expand, in UTF-8 bytes, on top of what each step may: repeats count. */
  readonly expandedBytes: number;
  /** Tokens that one answer of the model may have. The model's server counts them. */
  readonly answerTokens: number;
  /**
   * UTF-8 bytes of a run's history that one request to a model holds at most, without the list of capabilities: what a
   * person's consent is given for. A task may fill fifteen sixteenths of it.
   */
  readonly contextBytes: number;
  /**
   * How often in a row the run asks its model again by itself after a failure that may pass; one more ends it. Absent,
   * the run never asks again by itself: it waits for its program after each such failure.
   */
  readonly modelFailuresInRow?: number;
}

export const RUN_LIMITS: RunLimits = {
  steps: 100,
  refusalsInRow: 10,
  wallMs: 3_600_000,
  proposalBytes: 1 << 20,
  expandedBytes: 1 << 20,
  answerTokens: 1024,
  contextBytes: 64 << 10,
};

/** The bounds of a request to a model. The record of a run that was begun by an earlier version names none. */
export function requestBounds({
  answerTokens = RUN_LIMITS.answerTokens,
  contextBytes = RUN_LIMITS.contextBytes,
}: Partial<RunLimits>): Pick<RunLimits, 'answerTokens' | 'contextBytes'> {
  return { answerTokens, contextBytes };
}

/** UTF-8 bytes of a task, however much a request may hold. */
const TASK_BYTES = 60 << 10;

/** UTF-8 bytes of a task. It is shown with every request, and leaves room for what is answered. */
export function taskBytes(limits: Partial<RunLimits>): number {
  return Math.min(TASK_BYTES, Math.floor((requestBounds(limits).contextBytes / 16) * 15));
}

/** What is kept of a proposal over the size limit, beside its hash and length. */
export const PROPOSAL_KEPT_BYTES: number = 64 << 10;

/**
 * UTF-8 bytes of content that are kept with an operation that read it, so that its reading can be made again: most
 * files, and not those that would make a ledger of a corpus.
 */
export const SOURCE_BYTES: number = 64 << 10;

/** Sections that are kept of what the symbols of one message stand for, for the same reason: 80 bytes each. */
export const RESOLVED_SECTIONS = 500;

/** What a capability's definition may be. Names are compared by code unit; nothing is normalised. */
export const CAPABILITY_LIMITS = {
  nameLength: 64,
  sourceBytes: 1_048_576,
  /** ajv's generated code overflows the guest's stack beyond these (measured at 69 nested objects). */
  schemaDepth: 32,
  schemaProperties: 1_000,
  schemaBytes: 65_536,
  /** Branches of one `anyOf` or `oneOf`: their code nests, and the guest's stack ends between 400 and 800. */
  schemaAlternatives: 200,
} as const;

/** ms that the page may take over one use of a power. Waiting costs a call nothing; a run that waits for ever is lost. */
export const POWER_TIMEOUT_MS = { default: 300_000, most: 86_400_000 } as const;

/**
 * Bytes of a call that waits, its changed pages and its answers, that are written beside the log: a hundred times what
 * most take. A call with more stays in its sandbox, where waiting costs memory and no disk, and ends with its process.
 */
export const PARKED_BYTES: number = 4 << 20;

/** Bounds on what capabilities keep: a note or a table each, not a database. */
export const KEPT_LIMITS = {
  /** UTF-16 units. */
  keyUnits: 256,
  /** Of its canonical JSON text, as UTF-8. */
  valueBytes: 65_536,
  /** For each name of a capability. Counted when something is put, so two runs at once may pass it by what they put. */
  keys: 256,
} as const;

/** Bounds on a value to be written canonically: every value that `decode` accepts, inside wrappers of our own. */
export const CANONICAL_LIMITS = {
  /** `DEPTH_MOST`, and 64 levels for the record around the value. A cycle ends here. */
  depth: 1_064,
  /** A value shared over and over ends here. */
  nodes: 4_000_000,
  /** UTF-16 units of the text. With every one of them escaped it is still shorter than any engine's longest string. */
  units: 67_108_864,
} as const;
