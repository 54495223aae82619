import type { Exceeded, GuestError } from './details.ts';
import { over, wordsOf } from './refuse.ts';

/** Codes for the end of a run. */
export const RUN_CODES = {
  model_exhausted: {
    class: 'run',
    what: (): string => 'The script has no more proposals',
    todo: 'Start a new run.',
  },
  model_failed: {
    class: 'run',
    what: (d: { readonly error: GuestError }): string => `The model did not answer: ${wordsOf(d.error)}`,
    todo: 'Check the model, then continue the run.',
  },
  runtime_failed: {
    class: 'run',
    what: (d: { readonly reason: string }): string => `The runtime failed: ${d.reason}`,
    todo: 'Open the runtime again, and resume the run.',
  },
  limit_steps: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many steps', 'steps', d),
    todo: 'Start a new run.',
  },
  limit_tokens: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many tokens', 'tokens', d),
    todo: 'Start a new run with a higher limit, or with a shorter task.',
  },
  limit_refusals: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many refusals in a row', 'refusals', d),
    todo: 'Start a new run with other instructions.',
  },
  limit_wall: {
    class: 'run',
    what: (d: Exceeded): string => over('Ran too long', 'ms', d),
    todo: 'Start a new run.',
  },
} as const;

/** Codes for definitions and grants of a program: no model proposed them. */
export const DEFINITION_CODES = {
  definition_invalid: {
    class: 'definition',
    what: (d: { readonly reason: string }): string => `Invalid definition: ${d.reason}`,
    todo: 'Correct the definition.',
  },
  source_refused: {
    class: 'definition',
    what: (d: {
      readonly cause: string;
      readonly reason: string;
      readonly line?: number;
      readonly column?: number;
    }): string => `The source cannot be loaded: ${d.reason}`,
    todo: 'Correct the source.',
  },
  hold_unsupported: {
    class: 'definition',
    what: (d: { readonly what: string }): string => `Results of this run can be held, so no host reads ${d.what}`,
    todo: 'Read them where a person may: with runtime.ledger, or with sallyport show.',
  },
  history_large: {
    class: 'definition',
    what: (d: Exceeded): string => over('The history is too large', 'characters of arguments', d),
    todo: 'Give it fewer runs, for example the newest.',
  },
  grant_widens: {
    class: 'definition',
    what: (d: { readonly what: string }): string => `A narrower grant cannot have a wider ${d.what}`,
    todo: 'Ask for no more than the grant permits.',
  },
  capability_twice: {
    class: 'definition',
    what: (d: { readonly name: string }): string => `${d.name} is registered already`,
    todo: 'Choose another name.',
  },
} as const;

/** Codes for a message of a host that is turned away before it becomes a proposal, and for a session at its limit. */
export const HOST_CODES = {
  message_unserved: {
    class: 'malformed_structure',
    what: (d: { readonly status: number; readonly reason: string }): string => `Not served (${d.status}): ${d.reason}`,
    todo: 'Send a message that this server serves.',
  },
  answer_unknown: {
    class: 'authorization',
    what: (): string => 'This question is not open: it was answered, it has expired, or it belongs to another call',
    todo: 'Call the tool again.',
  },
  calls_busy: {
    class: 'run',
    what: (d: { readonly limit: number }): string => `${d.limit} calls are under way`,
    todo: 'Wait for an answer, then call again.',
  },
  session_limited: {
    class: 'run',
    what: (d: { readonly limit: string }): string => `The session has reached its limit ${d.limit} and stays ended`,
    todo: 'A person has to raise this limit; until then every call is refused.',
  },
} as const;

/** Why a call cannot be taken back. */
export type UndoReason =
  | 'no_revert'
  | 'content'
  | 'changed'
  | 'gone'
  | 'erased'
  | 'large'
  | 'unknown'
  | 'open'
  | 'failed'
  | 'nothing';

/** Reasons in words, each as the end of a sentence about a call. */
export const UNDO_REASONS: { readonly [R in UndoReason]: string } = {
  no_revert: 'its definition has no revert',
  content: 'it wrote content, which content.undo takes back',
  changed: 'its definition has changed since',
  gone: 'the program does not provide it any more',
  erased: 'its arguments or its result were erased',
  large: 'its arguments and its result are too large for one call',
  unknown: 'it is not known whether it ran',
  open: 'it is still under way',
  failed: 'it failed, and has nothing to take back',
  nothing: 'it has changed nothing',
};

export type UndoBarrierRow = { readonly step: number; readonly capability: string; readonly reason: UndoReason };

/** Codes for taking back the calls of a run. */
export const UNDO_CODES = {
  undo_impossible: {
    class: 'run',
    what: (d: { readonly barriers: readonly UndoBarrierRow[] }): string =>
      `It cannot be taken back: ${d.barriers.map(({ step, capability, reason }) => `step ${step}${capability === '' ? '' : `, ${capability}`}: ${UNDO_REASONS[reason]}`).join('; ')}`,
    todo: 'Take back a part without these calls; nothing was changed.',
  },
  undo_done: {
    class: 'run',
    what: (d: { readonly run_id: string }): string => `It was taken back before, in the run ${d.run_id}`,
    todo: 'Look at that run; nothing was changed.',
  },
  undo_open: {
    class: 'run',
    what: (d: { readonly run_id: string }): string => `The run ${d.run_id} takes calls of this run back already`,
    todo: 'Wait for its end, or ask for the same again to let it go on.',
  },
} as const;

/** Codes for the store of the ledger, and for a recorded run that a replay contradicts. */
export const STORAGE_CODES = {
  facts_altered: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `The recorded ${d.what} is not what its hash says`,
    todo: 'Verify the ledger.',
  },
  payload_missing: {
    class: 'storage',
    what: (d: { readonly sha256: string }): string => `The bytes with hash ${d.sha256} are not here`,
    todo: 'They may have been erased.',
  },
  run_erased: {
    class: 'storage',
    what: (d: { readonly run_id: string }): string =>
      `Texts of the run ${d.run_id} that it needs to go on were erased, so it is over`,
    todo: 'Start a new run for its task; read, verify or delete this one.',
  },
  log_failed: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `The ledger could not be written: ${d.reason}`,
    todo: 'Free storage; nothing runs unrecorded.',
  },
  head_moved: {
    class: 'storage',
    what: (d: { readonly expected: number; readonly found: number }): string =>
      `Another writer continued this run: expected ${d.expected} records, found ${d.found}`,
    todo: 'Follow it read-only, or take the run over from its new head.',
  },
  run_absent: {
    class: 'storage',
    what: (d: { readonly run_id: string }): string => `The run ${d.run_id} is not on this device`,
    todo: 'Look at the list of runs.',
  },
  backup_refused: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not restored: ${d.what}`,
    todo: 'Use a whole backup of this ledger, or empty it first; nothing was changed.',
  },
  run_kept: {
    class: 'storage',
    what: (d: { readonly run_id: string; readonly until: string }): string =>
      `The run ${d.run_id} is kept until ${d.until}, by the option \`retention\``,
    todo: 'Delete it after that time.',
  },
  run_sealed: {
    class: 'storage',
    what: (): string => 'The run is sealed',
    todo: 'Start a new run.',
  },
  store_absent: {
    class: 'storage',
    what: (d: { readonly reason?: string }): string =>
      d.reason === undefined
        ? 'This browser gives the page no IndexedDB'
        : `This browser denies the page its storage: ${d.reason}`,
    todo: 'Leave private mode, or allow the site to store data; a frame is a site of its own. Or keep the ledger in memory.',
  },
  store_blocked: {
    class: 'storage',
    what: (): string =>
      'The browser’s database did not answer: another tab may hold an older version of the ledger open',
    todo: 'Close the other tabs of this site; where there are none, start the browser again.',
  },
  store_newer: {
    class: 'storage',
    what: (): string => 'The ledger was written by a newer version',
    todo: 'Update, or export it there.',
  },
  log_lost: {
    class: 'storage',
    what: (d: { readonly size: number; readonly found: number }): string =>
      `The ledger was lost: it had ${d.size} records, ${d.found} are here`,
    todo: 'Put a database back as it was. In a browser a new epoch began, and its first record says so. Older runs are only where they were exported.',
  },
  mirror_lost: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `The private files of the ledger cannot be used: ${d.reason}`,
    todo: 'Reload the page; nothing runs unrecorded.',
  },
  store_busy: {
    class: 'storage',
    what: (): string => 'Another tab has this ledger open',
    todo: 'Close the other tabs, and try again.',
  },
  store_locked: {
    class: 'storage',
    what: (d: { readonly pid: number; readonly host?: string } | { readonly lock: string }): string => {
      if ('lock' in d) return `The lock of this ledger is ${d.lock}`;
      const place = d.host === undefined ? '' : ` in another container or machine (${d.host})`;
      return `Process ${d.pid}${place} has this ledger open`;
    },
    todo: 'End that process, or open another directory. A process that was killed in another container or machine, or before a restart, keeps it for 30 seconds. Several processes share a ledger in SQLite: sallyport/sqlite, from Node 22 on.',
  },
  port_taken: {
    class: 'storage',
    what: (d: { readonly port: number }): string => `Another program of this machine has the port ${d.port}`,
    todo: 'End that program, or name another port. A passkey belongs to the port that it was made at.',
  },
  store_readonly: {
    class: 'storage',
    what: (): string => 'The database of the ledger takes no writes',
    todo: 'Connect to the server that takes writes; a replica can only be read.',
  },
  store_denied: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `The database denies it to this role: ${d.reason}`,
    todo: 'Use a role with this right, or have the owner of the database grant it.',
  },
  /** The place that the program named is none for a ledger: a missing database, a wrong login, a file. */
  store_unopened: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `There is no ledger to open at this place: ${d.reason}`,
    todo: 'Correct what the program names as its store; nothing was written.',
  },
  store_damaged: {
    class: 'storage',
    what: (d: { readonly at: number; readonly what: string; readonly place?: 'database' }): string =>
      `The ledger's ${d.place ?? 'file'} ${d.what}`,
    todo: 'Put the whole file or database back, or restore a backup elsewhere; nothing was changed.',
  },
  store_full: {
    class: 'storage',
    what: (): string => 'No room left for the ledger',
    todo: 'Free storage; nothing runs unrecorded.',
  },
  store_lost: {
    class: 'storage',
    what: (d: { readonly reason: string }): string => `The connection to the ledger was lost: ${d.reason}`,
    todo: 'Open the ledger again, in a page by a reload; what was acknowledged is kept.',
  },
  decision_differs: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Deciding it again gives another decision: ${d.what}`,
    todo: 'The record does not follow from what is recorded before it.',
  },
  replay_differs: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Running it again gives another outcome: ${d.what}`,
    todo: 'Either the record was altered, or it was made by another engine.',
  },
  not_replayed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not verified: ${d.what}`,
    todo: 'Rely on it only as far as you trust where the file comes from; it holds no evidence for it.',
  },
} as const;
