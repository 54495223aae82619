import type { Effect, Held, Label } from '../../../core/capability/guard.ts';
import { refuse } from '../../../core/errors.ts';
import { DECODE_LIMITS } from '../../../core/limits.ts';
import {
  CALLBACK,
  LIST,
  OBJECT,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  POSITIVE,
  TEXT,
} from '../../../core/option.ts';
import { refusalError } from '../../../core/sallyport-error.ts';
import { isLoopback } from '../models/endpoint.ts';
import { HELD_OPTION } from '../models/functions.ts';
import { isHeaderName } from './headers.ts';
import type { OpenApiOperation } from './operation.ts';
import { type PermittedServers, serverAddress } from './servers.ts';

/** A value for all operations, or for each. */
export type ForOperation<T> = T | ((operation: OpenApiOperation) => T | undefined);

/** Headers of a request, by name. */
export type OpenApiHeaders = Readonly<Record<string, string | undefined>>;

export interface OpenApiHeaderRequest {
  readonly operation: OpenApiOperation;
  /** Origin that gets the headers. */
  readonly origin: string;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
}

export interface OpenApiOptions {
  /** Word before each name, with a point: `pets` makes `pets.getPet` of `getPet`. */
  readonly prefix: string;
  /** Address of the server. It takes the place of the servers at the top of the document, and its origin is permitted. */
  readonly baseUrl?: string;
  /** Addresses whose origins are permitted, too: for operations with servers of their own, and for redirects. */
  readonly servers?: readonly string[];
  /**
   * Address of an operation in the place of every server that the document names for it, its own too. Its origin is
   * permitted for this operation. Undefined: the servers of the document and `baseUrl` count.
   */
  readonly serverFor?: (operation: OpenApiOperation) => string | undefined;
  /** Values of server variables. A variable that is left out has its default in the document. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Headers of a request, for example with a key. Asked for each call. They are sent to the server of the operation
   * alone, and stand in no record, message, error and origin. With headers a `baseUrl`, `servers` or `serverFor` is needed.
   */
  readonly headers?: (request: OpenApiHeaderRequest) => OpenApiHeaders | Promise<OpenApiHeaders>;
  /** Ids of the operations to take, or a function that chooses them. Default: all. */
  readonly operations?: readonly string[] | ((operation: OpenApiOperation) => boolean);
  /** Default `egress`: the arguments of a call leave, also those of a GET. */
  readonly effect?: ForOperation<Effect>;
  /** Default `private` and `untrusted`. */
  readonly labels?: ForOperation<readonly Label[]>;
  /** Which results are held, so that no model reads them: `true`, or those whose labels have this one. */
  readonly held?: ForOperation<Held>;
  /** `required` refuses an operation whose answers cannot be checked. Default `optional`: it is in `unchecked`. */
  readonly results?: 'required' | 'optional';
  /** Names of headers of an answer that a result shows. */
  readonly answerHeaders?: readonly string[];
  /** Bytes of an answer, at most 1 MiB. Default 768,000: in base64 the result is then below 1 MiB. */
  readonly answerBytes?: number;
  /** ms that a call may take. Default: five minutes. */
  readonly timeoutMs?: number;
  /** Version of the tools. Default: the version of the document where it is MAJOR.MINOR.PATCH, else `0.0.0`. */
  readonly version?: string;
  readonly fetch?: typeof fetch;
}

/** Checked options with their defaults. */
export interface OpenApiSettings extends OpenApiOptions {
  readonly permitted: PermittedServers;
  readonly answerBytes: number;
  readonly answerHeaders: readonly string[];
  readonly fetch: typeof fetch;
}

const ANSWER_BYTES = 768_000;

const PREFIX: OptionType = [
  '1 to 32 of A-Z a-z 0-9 _ - and points inside',
  (value) => typeof value === 'string' && /^(?!\.)[A-Za-z0-9._-]{1,32}(?<!\.)$/.test(value),
];
const GIVEN: OptionType = ['a value or a function', (value) => value !== null];
const ADDRESS: OptionType = [
  'an http or https address without credentials, query and fragment',
  (value) => typeof value === 'string' && serverAddress(value) !== undefined,
];
const ADDRESSES: OptionType = [
  `a list, each ${ADDRESS[0]}`,
  (value) => Array.isArray(value) && value.every(ADDRESS[1]),
];
const HEADER_NAMES: OptionType = [
  'a list of names of headers',
  (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && isHeaderName(name)),
];
const CHOICE: OptionType = ['a list or a function', (value) => LIST[1](value) || CALLBACK[1](value)];
const ANSWER: OptionType = [
  `a whole number from 1 to ${DECODE_LIMITS.bytes}`,
  (value) => POSITIVE[1](value) && (value as number) <= DECODE_LIMITS.bytes,
];
const OPTIONS: OptionTypes = {
  prefix: PREFIX,
  baseUrl: ADDRESS,
  servers: ADDRESSES,
  serverFor: CALLBACK,
  variables: OBJECT,
  headers: CALLBACK,
  operations: CHOICE,
  effect: GIVEN,
  labels: GIVEN,
  held: HELD_OPTION,
  results: oneOf('required', 'optional'),
  answerHeaders: HEADER_NAMES,
  answerBytes: ANSWER,
  timeoutMs: POSITIVE,
  version: TEXT,
  fetch: CALLBACK,
};

/** Throws `option_invalid`. `named` is the origin that the document names, which counts where the program names none. */
export function settingsOf(options: OpenApiOptions): OpenApiSettings {
  const given = optionsOf(options, OPTIONS, ['prefix']);
  const { baseUrl, servers = [], serverFor, variables = {}, headers } = given;
  const addresses = [...(baseUrl === undefined ? [] : [baseUrl]), ...servers].map((each) => new URL(each));
  const wants = 'given with headers: a document must not decide where a key goes';
  if (headers !== undefined && addresses.length === 0 && serverFor === undefined) throw invalidOption('baseUrl', wants);
  for (const url of addresses) assertPrivate(url, given);
  const base = baseUrl === undefined ? {} : { base: new URL(baseUrl) };
  const permitted = { ...base, origins: new Set(addresses.map(({ origin }) => origin)), variables };
  const ask = given.fetch ?? ((input: string | URL | Request, init?: RequestInit) => fetch(input, init));
  const { answerBytes = ANSWER_BYTES, answerHeaders = [] } = given;
  return { ...given, permitted, answerBytes, answerHeaders, fetch: ask };
}

/** Throws `option_invalid` for a key that would cross a network in plain. */
function assertPrivate(url: URL, { headers }: OpenApiOptions): void {
  if (headers !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw invalidOption('headers', 'sent over https or to this device alone');
}

/** The address that the program gives for an operation. Throws `option_invalid` for one that is none. */
export function givenServer(settings: OpenApiSettings, operation: OpenApiOperation): URL | undefined {
  const { serverFor } = settings;
  const address = serverFor && valueFor<string>(serverFor, operation);
  if (address === undefined) return undefined;
  if (!ADDRESS[1](address)) throw invalidOption('serverFor', `a function that gives ${ADDRESS[0]}`);
  const url = new URL(address);
  assertPrivate(url, settings);
  return url;
}

function invalidOption(name: string, wants: string): Error {
  return refusalError(refuse('option_invalid', { name, wants }, { pointer: `/${name}` }).refusal);
}

export function valueFor<T>(given: ForOperation<T> | undefined, operation: OpenApiOperation): T | undefined {
  if (typeof given !== 'function') return given;
  const { id, method, path } = operation;
  return (given as (operation: OpenApiOperation) => T | undefined)({ id, method, path });
}
