import type { Details, GuestError } from './errors/details.ts';
import { sentencesOf } from './errors/refuse.ts';
import type { Code } from './errors.ts';
import type { Outcome, Refusal } from './outcome.ts';

/** Details of each misuse. Misuse is the embedding program's mistake, so it throws; a model's mistake is a refusal. */
export interface MisuseDetails {
  /** The WASM bytes are not the build that is pinned. */
  engine_unknown: { readonly hash: string };
  source_syntax: { readonly error: GuestError };
  /** The source threw while it was loaded. */
  source_threw: { readonly error: GuestError };
  source_no_default: { readonly name: string };
  /** Loading the source hit a limit of its own. */
  source_limit: { readonly limit: string };
  source_too_long: { readonly limit: number; readonly used: number };
  limits_invalid: { readonly limit: string };
  name_invalid: { readonly name: string };
  /** A stored image or a parked call does not match its digest. */
  image_refused: { readonly reason: string };
  /** An answer to a ticket that was never issued, or a second answer. */
  ticket_unknown: { readonly ticket: number };
  /** Only a call that waits for a power can be parked. */
  not_waiting: { readonly [name: string]: never };
  capability_unloaded: { readonly hash: string };
  sandbox_closed: { readonly [name: string]: never };
  /** A schema without a compiler to check it: refused, never ignored. */
  schemas_unavailable: { readonly [name: string]: never };
  worker_failed: { readonly reason: string };
  /** A file that loads on demand did not load, and its site does not answer. */
  part_unloaded: { readonly reason: string };
  /** A file that loads on demand is gone: the page, or the program, is older than the files. */
  build_gone: { readonly reason: string; readonly at: 'page' | 'program' };
  /** A worker's file is of another build than the file that started it. */
  build_mismatch: { readonly file: string; readonly expected: string; readonly found: string };
}

export type Misuse = keyof MisuseDetails;

/** Codes for a program's mistakes outside of a run; the text comes from the code that notices the mistake. */
export type ProgramFault =
  | 'archive_too_large'
  | 'door_closed'
  | 'door_refused'
  | 'door_unreachable'
  | 'endpoint_invalid'
  | 'engine_missing'
  | 'key_short'
  | 'mcp_unavailable'
  | 'passkey_failed'
  | 'recording_differs'
  | 'recording_malformed'
  | 'runtime_closed'
  | 'scenario_invalid'
  | 'store_unknown'
  | 'store_unsupported'
  | 'worker_blocked'
  | 'worker_url';

/** Every code that a `SallyportError` can have. */
export type ErrorCode = Code | Misuse | ProgramFault;

const MESSAGES: { readonly [M in Misuse]: (details: MisuseDetails[M]) => string } = {
  engine_unknown: (d) =>
    told(`Not the pinned engine: SHA-256 ${d.hash}`, 'Hand in the WASM file of the pinned package.'),
  source_syntax: (d) => told(`${said(d.error)}${position(d.error)}`, 'Correct the source.'),
  source_threw: (d) =>
    told(`The source failed while loading: ${said(d.error)}${position(d.error)}`, 'Correct the source.'),
  source_no_default: (d) =>
    `${d.name} has no default export that is a function. Write export default function (args) { … }.`,
  source_limit: (d) => `Loading the source hit its limit of ${d.limit}. Do less at the top level.`,
  source_too_long: (d) => `The source has ${d.used} bytes, the limit is ${d.limit}. Shorten it.`,
  limits_invalid: (d) => `The limit ${d.limit} is not a positive integer in range. Correct it.`,
  name_invalid: (d) => `${JSON.stringify(d.name)} is not a name. Use letters, digits, '.', '_' and '-'.`,
  image_refused: (d) => told(`The stored image is refused: ${d.reason}`, 'Load the source again.'),
  ticket_unknown: (d) => `No open power call has ticket ${d.ticket}. Answer each call once, in the order asked.`,
  not_waiting: () => 'The call does not wait for anything. Park it while a power call is open.',
  capability_unloaded: (d) => `No capability ${d.hash} is loaded here. Load it first.`,
  sandbox_closed: () => 'The sandbox is closed. Create another.',
  schemas_unavailable: () => 'This sandbox cannot check schemas. Leave out args and result, or give it a schema realm.',
  worker_failed: (d) => {
    const what = `The sandbox worker did not start: ${d.reason.replace(/\.$/u, '')}.`;
    const isForbidden = /\bCSP\b|Content Security Policy/iu.test(d.reason);
    return isForbidden ? `${what} Serve its file with the header of the lock: sallyport doctor URL looks at it.` : what;
  },
  part_unloaded: (d) =>
    told(
      `A part of the page did not load, and its site does not answer: ${d.reason}`,
      'Go online, then reload the page.',
    ),
  build_gone: (d) =>
    d.at === 'page'
      ? told(
          `This page is older than its site, and a file that it needs is gone: ${d.reason}`,
          'Reload the page; what its ledger keeps on this device stays.',
        )
      : told(
          `This program is older than the files of its package, and a file that it needs is gone: ${d.reason}`,
          'Start the program again.',
        ),
  build_mismatch: (d) =>
    `${d.file} is of build ${d.found}, and the file that starts it of build ${d.expected}. Reload the page. Where that does not help, deploy all files of one build together.`,
};

/** Thrown for misuse only; an expected failure is a value (`outcome.ts`). */
export class SallyportError extends Error {
  override readonly name = 'SallyportError';
  readonly code: ErrorCode;
  readonly class = 'misuse';
  readonly details: Details;
  /** Position in the author's source, from 1. */
  declare readonly line?: number;
  declare readonly column?: number;

  constructor(
    code: ErrorCode,
    message: string,
    details: Details,
    at: { readonly line?: number; readonly column?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    if (at.line !== undefined) this.line = at.line;
    if (at.column !== undefined) this.column = at.column;
  }
}

/** Makes the error of a misuse. Passing another code's details does not compile. */
export function misuse<M extends Misuse>(code: M, details: MisuseDetails[M]): SallyportError {
  const { error = {} } = details as { readonly error?: GuestError };
  return new SallyportError(code, MESSAGES[code](details), details, error);
}

/** A refusal where a program, not a model, was wrong. */
export function refusalError({ code, message, details }: Refusal): SallyportError {
  const { line, column } = details;
  return new SallyportError(
    code,
    message,
    details,
    typeof line === 'number' && typeof column === 'number' ? { line, column } : {},
  );
}

/** The value of an outcome. Throws its refusal as a `SallyportError`. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}

/** As `unwrap`, for an answer that comes later: the error has the stack of `asked`, which was made at the question. */
export function unwrapAsked<T>(outcome: Outcome<T>, { stack }: Error): T {
  if (outcome.ok) return outcome.value;
  const error = refusalError(outcome.refusal);
  // the stacks of some engines begin with the name of the error
  if (stack !== undefined) error.stack = stack.replace(/^Error\b.*/u, () => String(error));
  throw error;
}

function told(clause: string, todo: string): string {
  return sentencesOf(clause, undefined, todo);
}

/** Without its full stop: a position may follow. */
function said({ name, message }: GuestError): string {
  return `${name}: ${message.replace(/\.$/u, '')}`;
}

function position(error: GuestError): string {
  return error.line === undefined ? '' : ` (line ${error.line}, column ${error.column ?? 1})`;
}
