import {
  type AuthProvider,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { warn } from '../../../client/warn.ts';
import type { Secrets } from '../../models/secrets.ts';
import { type Fetch, type RefusedListener, requestIn, type StreamFollower, strictFetch } from '../wire/fetch.ts';
import {
  cutOffResponse,
  type ErrorResponse,
  forgottenResponse,
  type NumbersAs,
  type RequestId,
} from '../wire/message.ts';
import type { McpAuthorization, McpHttpServer, McpSignIn } from './api.ts';
import type { McpWay } from './connection.ts';
import { McpFailure } from './connection.ts';

interface HttpParts {
  readonly fetch: Fetch;
  readonly refused: RefusedListener;
  readonly secrets: Secrets;
  readonly numbers?: NumbersAs;
}

/** The way to a server behind streamable HTTP. Throws `option_invalid`. */
export function httpWay({ url, headers = {}, authorization }: McpHttpServer, parts: HttpParts): McpWay {
  const address = addressOf(url);
  const { secrets } = parts;
  secrets.addHeaders(Object.entries(headers));
  const access = accessOf(authorization, secrets);
  const finish = access?.finish;
  return {
    origin: `mcp:${address.origin}${address.pathname}`,
    isChild: false,
    isRepeatable: true,
    open: (lost) => {
      const streams = new BrokenStreams((message) => transport.onmessage?.(message as never));
      const checked = strictFetch(streams.resuming(parts.fetch), parts.refused, {
        numbers: parts.numbers,
        follow: (init) => streams.follow(init),
      });
      const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(address, {
        fetch: forgetful(checked, address, lost),
        requestInit: { headers },
        reconnectionOptions: RECONNECTION,
        ...(access && { authProvider: access.provider }),
      });
      access?.opened(transport);
      return transport;
    },
    ...(finish && { signIn: async (error) => error instanceof UnauthorizedError && finish() }),
  };
}

/** A stream of the server that breaks is asked for again, with the last event that came. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 8000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
} as const;

/** Attempts to go on with a stream before its request fails. */
const RESUMPTIONS = RECONNECTION.maxRetries;

/** A request whose stream has ended without its answer. */
interface BrokenStream {
  readonly request: RequestId;
  /** Attempts to go on with it that brought no event. */
  readonly attempts: number;
}

/**
 * The requests whose streams ended before the answer, by the event that they are gone on from. The SDK asks for the rest of
 * a stream, and tells no request where there is none: a request whose stream cannot be gone on with fails here, at once.
 */
class BrokenStreams {
  readonly #broken = new Map<string, BrokenStream>();
  readonly #answer: (message: ErrorResponse) => void;

  constructor(answer: (message: ErrorResponse) => void) {
    this.#answer = answer;
  }

  /** Follows the stream that answers a request, and each that goes on with one. */
  follow(init: RequestInit): StreamFollower | undefined {
    const from = eventIn(init);
    if (init.method === 'POST')
      return {
        ended: ({ event, request, isAnswered }) => {
          const isBroken = !isAnswered && event !== undefined && request !== undefined;
          if (isBroken) this.#broken.set(event, { request, attempts: 0 });
        },
      };
    const stream = from === undefined ? undefined : this.#broken.get(from);
    if (from === undefined || stream === undefined) return undefined;
    return {
      from,
      ended: ({ event, isAnswered }) => {
        if (event === undefined && !isAnswered)
          return this.#again(from, `it ended ${RESUMPTIONS} times without an answer`);
        this.#broken.delete(from);
        if (event !== undefined && !isAnswered) this.#broken.set(event, { ...stream, attempts: 0 });
      },
    };
  }

  /** A refused stream is told to the SDK as one that the server does not have, so that it asks no more. */
  resuming(fetch: Fetch): Fetch {
    return async (url, init = {}) => {
      const event = eventIn(init);
      const stream = event === undefined ? undefined : this.#broken.get(event);
      if (event === undefined || stream === undefined) return fetch(url, init);
      if (stream.attempts >= RESUMPTIONS) {
        this.#broken.delete(event);
        return NO_STREAM();
      }
      const response = await fetch(url, init).catch((error: unknown) => {
        this.#again(event, 'the server cannot be reached to go on');
        throw error;
      });
      const { status, ok } = response;
      if (ok) return response;
      const why = `the server does not resume the stream (HTTP ${status})`;
      const isForgotten = status === 404 && new Headers(init.headers).has('mcp-session-id');
      if (isForgotten || status >= 500 || PASSING.has(status)) {
        this.#again(event, why);
        return response;
      }
      this.#fail(event, why);
      return NO_STREAM();
    };
  }

  #again(event: string, why: string): void {
    const stream = this.#broken.get(event);
    if (stream === undefined || stream.attempts >= RESUMPTIONS) return;
    const attempts = stream.attempts + 1;
    if (attempts === RESUMPTIONS) this.#fail(event, why);
    this.#broken.set(event, { ...stream, attempts });
  }

  #fail(event: string, why: string): void {
    const stream = this.#broken.get(event);
    this.#broken.delete(event);
    if (stream !== undefined) this.#answer(cutOffResponse(stream.request, why));
  }
}

/** The answer of a server without such a stream. */
const NO_STREAM = (): Response => new Response(null, { status: 405 });

/** Refusals that may lead to another attempt: a sign-in, a pause. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** The event that a request goes on from. */
function eventIn({ method, headers }: RequestInit): string | undefined {
  return method === 'GET' ? (new Headers(headers).get('last-event-id') ?? undefined) : undefined;
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    const wants = 'an address that starts with https: or http:';
    throw new SallyportError('option_invalid', `The option url has to be ${wants}. Correct it.`, {
      name: 'url',
      wants,
    });
  }
  if (address.username !== '' || address.password !== '') {
    const wants = 'an address without a name and a password; use authorization';
    throw new SallyportError('option_invalid', `The option url has to be ${wants}.`, { name: 'url', wants });
  }
  return address;
}

/**
 * Knows the answer 404 of a server that has forgotten the session of a request. A request with an id was surely not
 * carried out: it ends with `session_forgotten`, so that it is sent again in a new session. For others `lost` is called.
 */
function forgetful(fetch: Fetch, address: URL, lost: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isNamed = String(url) === address.href && new Headers(init?.headers).has('mcp-session-id');
    if (!isNamed || response.status !== 404 || init?.method === 'DELETE') return response;
    const { id } = requestIn(init?.body);
    if (id === undefined) {
      queueMicrotask(lost);
      return response;
    }
    return new Response(JSON.stringify(forgottenResponse(id)), { headers: { 'content-type': 'application/json' } });
  };
}

/** Access to a remote server, for the transports of one source. */
interface Access {
  readonly provider: AuthProvider | OAuthClientProvider;
  opened(transport: StreamableHTTPClientTransport): void;
  /** Ends a sign-in that the person has come back from. False: there was none. */
  readonly finish?: () => Promise<boolean>;
}

function accessOf(given: McpAuthorization | undefined, secrets: Secrets): Access | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'object') return signInAccess(given, secrets);
  if (typeof given === 'string') secrets.addKey(given, 'authorization');
  const token = async (): Promise<string> => {
    const current = typeof given === 'string' ? given : await asked(given);
    secrets.addKey(current, 'authorization');
    return current;
  };
  // a server that refuses a token of a function is asked once more, with the token of then; it has not run the request
  const onUnauthorized = async (): Promise<void> => undefined;
  return { provider: { token, ...(typeof given === 'function' && { onUnauthorized }) }, opened: () => undefined };
}

/** The answer of the program. The words of its error are for the developer: they may hold a key. */
async function asked(program: () => string | Promise<string>): Promise<string> {
  try {
    return await program();
  } catch (error) {
    warn('sallyport: the authorization of an MCP server failed', error);
    throw new McpFailure('mcp_authorization', 'The program gave no access to the server.', { cause: error });
  }
}

function signInAccess(given: McpSignIn, secrets: Secrets): Access {
  const person = new MemoryProvider(given, secrets);
  let transport: StreamableHTTPClientTransport | undefined;
  return {
    provider: person,
    opened: (each) => {
      transport = each;
    },
    finish: async () => {
      const back = person.takeReturn();
      if (back === undefined || transport === undefined) return false;
      await transport.finishAuth(back);
      return true;
    },
  };
}

/** The provider of the SDK's sign-in, with keys in this object's memory alone. */
class MemoryProvider implements OAuthClientProvider {
  declare readonly clientMetadataUrl?: string;
  readonly #given: McpSignIn;
  readonly #secrets: Secrets;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #state = '';
  #return: URLSearchParams | undefined;
  #discovery: OAuthDiscoveryState | undefined;

  constructor(given: McpSignIn, secrets: Secrets) {
    this.#given = given;
    this.#secrets = secrets;
    if (given.clientSecret !== undefined) secrets.addKey(given.clientSecret, 'clientSecret');
    if (given.clientMetadataUrl !== undefined) this.clientMetadataUrl = given.clientMetadataUrl;
    this.#client = registered(given);
  }

  get redirectUrl(): string {
    return this.#given.redirectUrl;
  }

  get clientMetadata(): OAuthClientProvider['clientMetadata'] {
    const { redirectUrl, clientName = 'Sallyport', clientSecret, scope } = this.#given;
    return {
      redirect_uris: [redirectUrl],
      client_name: clientName,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope !== undefined && { scope }),
    };
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#secrets.add(client.client_secret);
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    for (const key of [tokens.access_token, tokens.refresh_token, tokens.id_token]) this.#secrets.add(key);
    this.#tokens = tokens;
  }

  /** Forgets keys that a server refuses, so that the person is asked again. */
  invalidateCredentials(kind: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const isGone = (one: string): boolean => kind === 'all' || kind === one;
    if (isGone('tokens')) this.#tokens = undefined;
    if (isGone('client')) this.#client = registered(this.#given);
    if (isGone('verifier')) this.#verifier = '';
    if (isGone('discovery')) this.#discovery = undefined;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveCodeVerifier(verifier: string): void {
    this.#secrets.add(verifier);
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const back = new URL(await asked(() => this.#given.redirect(url.href))).searchParams;
    this.#secrets.add(back.get('code') ?? undefined);
    if (back.get('state') !== this.#state)
      throw new McpFailure('mcp_authorization', 'The person came back with the state of another sign-in.');
    this.#return = back;
  }

  takeReturn(): URLSearchParams | undefined {
    const back = this.#return;
    this.#return = undefined;
    return back;
  }
}

/** The client that the program names; undefined where the server has to register one. */
function registered({ clientId, clientSecret }: McpSignIn): StoredOAuthClientInformation | undefined {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}
