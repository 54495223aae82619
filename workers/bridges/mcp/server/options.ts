import type { Readable, Writable } from 'node:stream';
import {
  ANY,
  FLAG,
  LIST,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  POSITIVE,
  TEXT,
} from '../../../../core/option.ts';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import type { McpSource } from '../client/api.ts';

/** Who may ask a server over HTTP: whoever has an access token of this issuer for this resource. */
export interface TokenAuth {
  /** Exact `iss` of the tokens, an address of https; the issuer's metadata name the keys. */
  readonly issuer: string;
  /** Exact `aud` of the tokens: the address of this server as its clients write it. */
  readonly audience: string;
  /** `fresh`: the labels of a principal's runs before do not count in a new one. Default: those of the last 24 h do. */
  readonly labels?: 'fresh';
}

/** Place of an HTTP server. */
export interface HttpPlace {
  /** Port on this machine; 0 for any free port. */
  readonly port: number;
  /** Address to listen at; default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Secret that a client sends as `Authorization: Bearer TOKEN`: at least 22 characters of base64url, 32 of hexadecimal
   * digits, which is 128 bits of randomness or more. Absent: a token is generated and returned. `false`: no token, on
   * the loopback alone.
   */
  readonly token?: string | false;
  /** Access tokens of an issuer in the place of `token`: each principal has a session of its own. */
  readonly auth?: TokenAuth;
  /** Names in the header `Host` that are served, without the port. Default: the loopback's names, and `host`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages that are served, for example `https://app.example`. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

/** Streams of one client. */
export interface LineStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to the output; absent: `output.write`. */
  readonly write?: (line: string) => boolean;
}

export interface ServeOptions {
  /** Default `stdio`: one client at standard input and output. */
  readonly transport?: 'stdio' | HttpPlace;
  /** Name of the server, as the host shows it. Default `sallyport`. */
  readonly name?: string;
  /** Names of the capabilities that are served; absent: all that are enabled. */
  readonly names?: readonly string[];
  /** Serves a tool `code` as well, through which a model sends a program that calls the other tools. */
  readonly code?: boolean;
  /**
   * Answers the questions about calls. `elicit`, the default: the person at the host; the runtime's `approve` where the
   * host cannot ask. `runtime`: the runtime's `approve` alone. `either`: both are asked, and the first answer counts.
   */
  readonly approve?: 'elicit' | 'runtime' | 'either';
  /**
   * ms after which a host that cannot ask, and that hears no progress, is told `approval_pending` while a person is
   * asked. The call stays open, and the next identical call of the connection gets its outcome, once. Default 20,000;
   * `false`: the host waits.
   */
  readonly pendingMs?: number | false;
  /**
   * Sources of `fromMcp` whose tools are served: hosts get the titles, the hints, the MCP Apps and the progress of their
   * servers as they are. A function is asked at each list and each call.
   */
  readonly sources?: readonly ServedSource[] | (() => readonly ServedSource[]);
  /** Prefix that hosts do not see: with `files` they call `files.read` by `read`. Records and grants have it. */
  readonly hidePrefix?: string;
  /** Text for the models of hosts. A function is asked at each connection. */
  readonly instructions?: string | (() => string | undefined);
}

/** The part of a source that is read for hosts. */
export type ServedSource = Pick<McpSource, 'declaration'> & Partial<Pick<McpSource, 'onProgress'>>;

/** A server that is open. */
export interface McpServing extends AsyncDisposable {
  /** With HTTP: the address of the protocol. */
  readonly address?: string;
  /** With HTTP: the token that a client has to send. */
  readonly token?: string;
  /**
   * With HTTP: requests that were turned away without a record, by their status: 401 without the token, 403 from another
   * place. They are counted here alone, so that no stranger can fill the ledger.
   */
  readonly strangers?: ReadonlyMap<number, number>;
  /** Resolves when the server has ended and its runs are sealed: after `close`, or after the end of standard input. */
  readonly closed: Promise<void>;
  /** Denies the open questions, seals the runs and ends the server. */
  close(): Promise<void>;
}

/** Options with their defaults. */
export interface ServeTerms {
  readonly transport: 'stdio' | HttpPlace;
  readonly name: string;
  readonly names: readonly string[] | undefined;
  readonly code: boolean;
  readonly approve: 'elicit' | 'runtime' | 'either';
  readonly pendingMs: number | false;
  readonly sources: () => readonly ServedSource[];
  readonly hidePrefix: string | undefined;
  readonly instructions: () => string | undefined;
}

const TEXTS: OptionType = ['a list of texts', (value) => Array.isArray(value) && value.every((each) => TEXT[1](each))];
const PORT: OptionType = [
  'a number from 0 to 65535',
  (value) => value === 0 || (POSITIVE[1](value) && Number(value) < 65_536),
];
/** Characters that RFC 6750 permits in a bearer token. */
const TOKEN: OptionType = [
  'false, or at least 22 characters of A-Z a-z 0-9 - . _ ~ + / =',
  (value) => value === false || (typeof value === 'string' && /^[A-Za-z0-9\-._~+/=]{22,512}$/.test(value)),
];
const TRANSPORT: OptionType = [
  `'stdio' or {port}`,
  (value) => value === 'stdio' || (typeof value === 'object' && value !== null),
];
const PENDING_MS = 20_000;
const PENDING: OptionType = ['false, or a number of ms', (value) => value === false || POSITIVE[1](value)];
const OPTIONS: OptionTypes = {
  transport: TRANSPORT,
  name: TEXT,
  names: TEXTS,
  code: FLAG,
  approve: oneOf('elicit', 'runtime', 'either'),
  pendingMs: PENDING,
  sources: ANY,
  hidePrefix: TEXT,
  instructions: ANY,
};
const AUTH: OptionType = ["{issuer, audience, labels?: 'fresh'}, two addresses of https or of the loopback", isAuth];
const HTTP: OptionTypes = {
  port: PORT,
  host: TEXT,
  token: TOKEN,
  auth: AUTH,
  allowedHosts: LIST,
  allowedOrigins: LIST,
};

/** The options with their defaults. Throws `option_invalid`. */
export function serveTerms(given: ServeOptions | undefined): ServeTerms {
  const {
    transport = 'stdio',
    name = 'sallyport',
    names,
    code = false,
    approve = 'elicit',
    pendingMs = PENDING_MS,
    sources = [],
    hidePrefix,
    instructions,
  } = optionsOf(given, OPTIONS);
  const words = { hidePrefix, sources: asFunction(sources), instructions: asFunction(instructions) };
  if (transport === 'stdio') return { transport, name, names, code, approve, pendingMs, ...words };
  const place = optionsOf(transport, HTTP, ['port']);
  if (place.token === false && !isLoopback(place.host ?? LOOPBACK)) {
    const wants = 'a token for an address beyond the loopback';
    throw new SallyportError('option_invalid', `The option token has to be ${wants}.`, { name: 'token', wants });
  }
  if (place.token !== undefined && place.auth !== undefined) {
    const wants = 'absent where auth is given';
    throw new SallyportError('option_invalid', `The option token has to be ${wants}.`, { name: 'token', wants });
  }
  return { transport: place, name, names, code, approve, pendingMs, ...words };
}

function isAuth(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { issuer, audience, labels = 'fresh', ...others } = value as { readonly [name: string]: unknown };
  if (labels !== 'fresh') return false;
  return Object.keys(others).length === 0 && isSafe(issuer) && isSafe(audience);
}

/** True for an address of https, or of this machine, as browsers write it but for a slash at its end. */
export function isSafe(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname, href, search, hash, username } = new URL(address);
  if (href !== address && href !== `${address}/`) return false;
  if (`${search}${hash}${username}` !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
}

function asFunction<T>(given: T | (() => T)): () => T {
  return typeof given === 'function' ? (given as () => T) : () => given;
}

export const LOOPBACK = '127.0.0.1';

/** Names in `Host` that mean this machine alone. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', LOOPBACK, '[::1]'];

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
