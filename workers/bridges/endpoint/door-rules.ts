import { LIST, OBJECT, type OptionTypes, oneOf, optionsOf, TEXT } from '../../../core/option.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { ALONE, assertHeader, assertPrivate, serverUrl } from '../models/endpoint.ts';
import { endpointInvalid } from '../models/failure.ts';
import { Secrets } from '../models/secrets.ts';
import type { DoorKind, DoorRequest, DoorSettings } from './host.ts';

/** The requests that doors of a kind take. Sizes are in bytes of one body. */
interface KindRules {
  readonly methods: readonly string[];
  /** Headers that the page may set, in lower case. */
  readonly headers: RegExp;
  readonly requestBytesMax: number;
  readonly responseBytesMax: number;
  /** True: the path of a request lies under the path of the door's URL. */
  readonly isUnderPath?: true;
}

const MIB = 1024 * 1024;

/** The sizes keep a hostile server from filling the page's memory; answers of models and tools are far smaller. */
const RULES: { readonly [K in DoorKind]: KindRules } = {
  openai: {
    methods: ['GET', 'POST'],
    headers: /^(?:accept|content-type)$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: 16 * MIB,
    isUnderPath: true,
  },
  mcp: {
    methods: ['GET', 'POST', 'DELETE'],
    // `authorization` and `dpop` carry the tokens of a sign-in that the program itself has made.
    headers:
      /^(?:accept|authorization|content-type|dpop|last-event-id|mcp-(?:method|name|protocol-version|session-id|param-.+))$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: 64 * MIB,
  },
  otlp: {
    methods: ['POST'],
    headers: /^(?:accept|content-encoding|content-type)$/,
    requestBytesMax: 16 * MIB,
    responseBytesMax: MIB,
  },
  file: { methods: ['GET'], headers: /^accept$/, requestBytesMax: 0, responseBytesMax: 64 * MIB },
};

/** Name of the broken rule, in `details.rule` of `door_refused`. */
export type DoorRule = 'header' | 'method' | 'request_bytes' | 'requests' | 'response_bytes' | 'url';

/** The rules of one door. Its headers are in a closure and cannot be listed. */
export interface DoorRules {
  readonly origin: string;
  readonly responseBytesMax: number;
  /** The keys in the headers of the opening. */
  readonly secrets: Secrets;
  /** The request as it is sent, with the headers of the opening. Throws `door_refused`. */
  permit(request: DoorRequest): readonly [url: string, init: RequestInit];
}

const SETTINGS: OptionTypes = { kind: oneOf(...Object.keys(RULES)), url: TEXT, headers: OBJECT, alsoAsk: LIST };

/**
 * Throws `option_invalid`, `endpoint_invalid` for a URL, an origin or a header that could never work, and `key_short`.
 */
export function doorRules(settings: DoorSettings): DoorRules {
  const { kind, url, headers = {}, alsoAsk = [] } = optionsOf(settings, SETTINGS, ['kind', 'url']);
  const rules = RULES[kind];
  const server = serverUrl(url, 'URL');
  const own = Object.entries(headers);
  if (own.length > 0) assertPrivate(server);
  for (const [name, value] of own) assertHeader(name, value);
  const secrets = new Secrets();
  secrets.addHeaders(own);
  const others = alsoAsk.map(originOf);
  return {
    origin: server.origin,
    responseBytesMax: rules.responseBytesMax,
    secrets,
    permit(request) {
      const target = new URL(request.url);
      const isServer = isAt(target, server) && (rules.isUnderPath !== true || isUnder(target, server));
      if (!isServer && !others.some((other) => isAt(target, other)))
        throw doorRefused('url', 'the door asks another server or path');
      assertForm(request, rules);
      const sent = new Headers(request.headers.map(([name, value]) => [name, value]));
      // The keys belong to the server alone: no origin of `alsoAsk` gets them.
      if (isServer) for (const [name, value] of own) sent.set(name, value);
      const { method, body } = request;
      return [target.href, { ...ALONE, method, headers: sent, ...(body !== undefined && { body }) }];
    },
  };
}

function assertForm({ method, headers, body }: DoorRequest, rules: KindRules): void {
  if (!rules.methods.includes(method)) throw doorRefused('method', `the door sends ${rules.methods.join(', ')}`);
  const other = headers.find(([name]) => !rules.headers.test(name.toLowerCase()));
  if (other !== undefined) throw doorRefused('header', `the door sends no header ${other[0]}`);
  const most = rules.requestBytesMax;
  if ((body?.byteLength ?? 0) > most) throw doorRefused('request_bytes', `a body has at most ${most} bytes`);
}

function isUnder({ pathname }: URL, base: URL): boolean {
  return pathname.startsWith(`${base.pathname.replace(/\/+$/, '')}/`);
}

/** Not a comparison of origins: `blob:https://api.example/1` has the origin of its server. */
function isAt({ protocol, host, username, password }: URL, server: URL): boolean {
  return protocol === server.protocol && host === server.host && username === '' && password === '';
}

function originOf(text: string): URL {
  const url = serverUrl(text, 'origin in alsoAsk');
  if (url.href !== `${url.origin}/`) throw endpointInvalid('the origin in alsoAsk has a path or a query');
  return url;
}

/** The error for a request that a door does not send, or for an answer that it cuts. */
export function doorRefused(rule: DoorRule, what: string): SallyportError {
  return new SallyportError('door_refused', `The door refuses the request: ${what}.`, { rule });
}
