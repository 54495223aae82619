import type { ToolContext } from '../../../core/capability/author.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import type { Secrets } from '../models/secrets.ts';
import { addressOf, groupOf, type PathTemplate } from './address.ts';
import { errorOf, readAnswer } from './answer.ts';
import { checkedHeaders, isCookieValue, isHeaderValue, joinedCookies, secretsIn } from './headers.ts';
import type { OpenApiOperation } from './operation.ts';
import { OperationError } from './operation.ts';
import type { OpenApiSettings } from './options.ts';
import type { OperationParameter } from './parameters.ts';
import { bodyOf, type RequestBody, type SentBody } from './request-body.ts';
import { type DeclaredResponses, responseFor } from './responses.ts';
import { serverAddress } from './servers.ts';
import { simpleText } from './values.ts';

/** Parts of an operation that a call needs. */
export interface OperationPlan {
  readonly operation: OpenApiOperation;
  readonly server: URL;
  readonly path: PathTemplate;
  readonly parameters: readonly OperationParameter[];
  readonly body: RequestBody | undefined;
  readonly responses: DeclaredResponses;
}

/** Carries out a call with arguments that the schema has accepted. Throws `OperationError` for a call without a result. */
export async function call(
  plan: OperationPlan,
  settings: OpenApiSettings,
  args: JsonValue,
  io: ToolContext,
): Promise<JsonObject> {
  // no argument that cannot be sent reaches the function of the program
  const prepared = prepare(plan, args);
  const keyed = await keyedHeaders(plan, settings, io.signal);
  const secrets = secretsIn(keyed);
  try {
    return await answerTo({ ...prepared, secrets: keyed }, plan, settings, { secrets, signal: io.signal });
  } catch (error) {
    // the reason may hold words of the server, such as the address of a redirect or the name of a member
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.name, secrets.hide(error.message), { cause: error.cause });
  }
}

async function answerTo(
  request: PreparedRequest,
  plan: OperationPlan,
  settings: OpenApiSettings,
  { secrets, signal }: { readonly secrets: Secrets; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const origins = new Set([...settings.permitted.origins, plan.server.origin]);
  const response = await send(request, { fetch: settings.fetch, origins, signal });
  const { answerBytes: bytesMax, answerHeaders: headers } = settings;
  const options = { bytesMax, headers, secrets };
  if (!response.ok) throw await errorOf(response, options);
  const { list } = plan.responses;
  if (list.length > 0 && responseFor(list, response.status) === undefined) {
    response.body?.cancel().catch(() => undefined);
    throw new OperationError('answer_refused', `The document does not declare an answer with ${response.status}.`);
  }
  return readAnswer(response, options);
}

function prepare({ operation, server, path, parameters, body, responses }: OperationPlan, args: JsonValue) {
  const url = addressOf(server, path, parameters, args);
  const value = isObject(args) ? member(args, 'body') : undefined;
  const sent = body === undefined || value === undefined ? undefined : bodyOf(body, value);
  const headers = new Map([['accept', responses.accept], ...headersOf(parameters, groupOf(args, 'headers'))]);
  const cookie = cookieOf(parameters, groupOf(args, 'cookies'));
  if (cookie !== '') headers.set('cookie', cookie);
  if (sent?.mediaType !== undefined) headers.set('content-type', sent.mediaType);
  const request: Omit<PreparedRequest, 'secrets'> = { method: operation.method, url, headers };
  return sent === undefined ? request : { ...request, body: sent.body };
}

function headersOf(
  parameters: readonly OperationParameter[],
  values: JsonObject,
): readonly (readonly [string, string])[] {
  return parameters
    .filter(({ group }) => group === 'headers')
    .flatMap((parameter) => {
      const value = member(values, parameter.name);
      if (value === undefined || value === null) return [];
      const text = simpleText(value, parameter, (part) => part);
      if (isHeaderValue(text)) return [[parameter.name.toLowerCase(), text] as const];
      const reason = 'a header takes visible characters of ASCII and blanks inside';
      throw new OperationError(
        'argument_refused',
        `The argument ${JSON.stringify(parameter.name)} cannot be sent: ${reason}.`,
      );
    });
}

/** The header `cookie` of the arguments; empty without one. */
function cookieOf(parameters: readonly OperationParameter[], values: JsonObject): string {
  const pairs = parameters
    .filter(({ group }) => group === 'cookies')
    .flatMap(({ name }) => {
      const value = member(values, name);
      if (value === undefined || value === null) return [];
      if (typeof value !== 'object' && isCookieValue(String(value))) return [`${name}=${String(value)}`];
      const reason = 'a cookie takes one value of visible characters of ASCII, without quotes, commas and semicolons';
      throw new OperationError('argument_refused', `The argument ${JSON.stringify(name)} cannot be sent: ${reason}.`);
    });
  return pairs.join('; ');
}

async function keyedHeaders(
  { operation, server }: OperationPlan,
  { headers }: OpenApiSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (headers === undefined) return new Map();
  const { id, method, path } = operation;
  const given = await Promise.resolve({ operation: { id, method, path }, origin: server.origin, signal })
    .then(headers)
    .catch((cause: unknown) => {
      // the program's error may hold the key
      throw new OperationError('headers_failed', 'The program gave no headers for this call.', { cause });
    });
  signal.throwIfAborted();
  return checkedHeaders(given);
}

/** A request before it is sent. */
interface PreparedRequest {
  readonly method: string;
  readonly url: URL;
  /** Headers made from the document and the arguments. */
  readonly headers: ReadonlyMap<string, string>;
  /** Headers of the program, which only the origin of `url` gets. They replace other headers of the same name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly body?: SentBody['body'];
}

interface SendOptions {
  readonly fetch: typeof fetch;
  readonly origins: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Redirects in a row. */
const HOPS_MAX = 5;

/** Requests carry no cookie of the page's and no referrer of the page. */
const ALONE = { redirect: 'manual', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' } as const;

/**
 * Sends a request and follows redirects to permitted origins. A redirect to another origin loses the headers of the
 * program and the cookies of the call for good. A 303, and a 301 or 302 after POST, goes on as GET without the body.
 */
async function send(request: PreparedRequest, options: SendOptions): Promise<Response> {
  let now = request;
  for (let hops = 0; hops <= HOPS_MAX; hops++) {
    const response = await ask(now, options);
    // a browser hides where a redirect leads
    if (response.type === 'opaqueredirect') throw redirected('a page cannot see where it leads');
    if (response.redirected) throw redirected('the function fetch has followed it');
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    response.body?.cancel().catch(() => undefined);
    now = next(now, response.status, location, options.origins);
  }
  throw redirected(`there are more than ${HOPS_MAX} in a row`);
}

async function ask({ method, url, headers, secrets, body }: PreparedRequest, options: SendOptions): Promise<Response> {
  const { fetch, signal } = options;
  try {
    const all: Record<string, string> = Object.fromEntries([...headers, ...secrets]);
    const cookie = headers.get('cookie');
    if (cookie !== undefined) all['cookie'] = joinedCookies(cookie, secrets.get('cookie'));
    return await fetch(url.href, { ...ALONE, method, headers: all, signal, ...(body !== undefined && { body }) });
  } catch (cause) {
    // the platform's error may quote the request
    if (signal.aborted) throw new DOMException('The request was aborted.', 'AbortError');
    throw new OperationError('unreachable', `The server ${url.origin} cannot be reached.`, { cause });
  }
}

function next(
  request: PreparedRequest,
  status: number,
  location: string,
  origins: ReadonlySet<string>,
): PreparedRequest {
  const target = URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
  if (target === undefined || serverAddress(target.origin) === undefined || target.username + target.password !== '')
    throw redirected('its address cannot be used');
  if (!origins.has(target.origin)) throw redirected(`the origin ${target.origin} is not permitted`);
  const isSame = target.origin === request.url.origin;
  const secrets = isSame ? request.secrets : new Map<string, string>();
  const kept = new Map([...request.headers].filter(([name]) => isSame || name !== 'cookie'));
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  if (!becomesGet) return { ...request, url: target, headers: kept, secrets };
  const headers = new Map([...kept].filter(([name]) => name !== 'content-type'));
  return { method: 'GET', url: target, headers, secrets };
}

function redirected(reason: string): OperationError {
  return new OperationError('redirect_refused', `The server redirects the call: ${reason}.`);
}
