import { OperationError } from './operation-error.ts';
import { serverAddress } from './servers.ts';

/** A request before it is sent. */
export interface PreparedRequest {
  readonly method: string;
  readonly url: URL;
  /** Headers made from the document and the arguments. */
  readonly headers: ReadonlyMap<string, string>;
  /** Headers of the program, which only the origin of `url` gets. They replace other headers of the same name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly body?: string | FormData;
}

export interface SendOptions {
  readonly fetch: typeof fetch;
  readonly origins: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Redirects in a row. */
const HOPS_MAX = 5;

/** Requests carry no cookie and no referrer of the page. */
const ALONE = { redirect: 'manual', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' } as const;

/**
 * Sends a request and follows redirects to permitted origins. A redirect to another origin loses the headers of the
 * program for good. A 303, and a 301 or 302 after POST, goes on as GET without the body.
 */
export async function send(request: PreparedRequest, options: SendOptions): Promise<Response> {
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
    const all = Object.fromEntries([...headers, ...secrets]);
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
  const secrets = target.origin === request.url.origin ? request.secrets : new Map<string, string>();
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  if (!becomesGet) return { ...request, url: target, secrets };
  const headers = new Map([...request.headers].filter(([name]) => name !== 'content-type'));
  return { method: 'GET', url: target, headers, secrets };
}

function redirected(reason: string): OperationError {
  return new OperationError('redirect_refused', `The server redirects the call: ${reason}.`);
}
