import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const PAGE = readFileSync(new URL('page.html', import.meta.url));

/** The page draws questions with the card of the package, and loads it from here. */
const CARD = import.meta.resolve('sallyport/element');
const BODY_BYTES_MAX = 10_000;

/** The routes: a pattern of method and path, and what answers it. */
const ROUTES = [
  [/^GET \/$/, (_, { response }) => send(response, 200, PAGE, 'text/html; charset=utf-8')],
  [
    /^GET \/sallyport\/(element[\w.-]*\.js)$/,
    (_, { id, response }) => send(response, 200, readFileSync(new URL(id, CARD)), 'text/javascript'),
  ],
  [/^GET \/runs$/, async (agents) => agents.list()],
  [/^POST \/runs$/, async (agents, { body }) => ({ run_id: await agents.start(text(body.task)) })],
  [/^GET \/runs\/([\w-]{36})\/question$/, async (agents, { id }) => (await agents.question(id)) ?? null],
  [/^POST \/runs\/([\w-]{36})\/answer$/, answer],
  [/^GET \/runs\/([\w-]{36})\/events$/, sendEvents],
];

/**
 * Serves the agents of each person to that person, on this machine alone; a server before it adds TLS, and `origin` is its address. A
 * browser that was led here under another name, or by a page of another origin, gets no answer.
 */
export function serve(all, { port, tokens, origin }) {
  const server = createServer(async (request, response) => {
    try {
      const { host, origin: asker = origin } = request.headers;
      if (host !== new URL(origin).host || asker !== origin)
        return send(response, 421, `This server answers to ${origin} alone.`);
      const url = new URL(request.url, origin);
      const given = url.searchParams.get('token');
      if (given !== null) return signIn(response, nameOf(given, tokens), tokens);
      const name = signedIn(request, tokens);
      if (name === undefined) return send(response, 401, 'Open the address with its token.');
      const line = `${request.method} ${url.pathname}`;
      const [route, act] = ROUTES.find(([pattern]) => pattern.test(line)) ?? [];
      if (act === undefined) return send(response, 404, 'There is no such page.');
      const body = request.method === 'POST' ? await readBody(request) : {};
      // everything behind this line belongs to one person
      const value = await act(all.get(name), { id: route.exec(line)[1], body, request, response });
      if (value !== undefined) send(response, 200, JSON.stringify(value), 'application/json');
    } catch (error) {
      if (!response.headersSent) send(response, error.code === undefined ? 400 : 409, error.code ?? error.message);
      response.end();
    }
  });
  return server.listen(port, '127.0.0.1');
}

/** A person answers: the run goes on once the answer is in the ledger. */
async function answer(agents, { id, body }) {
  const { digest, approved, signed } = body;
  if (typeof approved !== 'boolean') throw new Error('approved is true or false');
  // The card of the page has seen a click of the person; a program that answers has not.
  const via = body.via === 'gesture' ? 'gesture' : 'program';
  const yes = { approved, via, ...(signed !== undefined && { signed }) };
  await agents.answer(id, text(digest), approved ? yes : { approved, reason: 'A person said no.', via });
  return { answered: digest };
}

/** Sends the records of a run as events. A page whose process died asks another process for the records behind its last. */
async function sendEvents(agents, { id, request, response }) {
  const seen = Number(request.headers['last-event-id'] ?? -1);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': open\n\n');
  for await (const { run_seq, kind, body } of agents.follow(id, gone.signal)) {
    if (run_seq > seen) response.write(`id: ${run_seq}\ndata: ${JSON.stringify({ kind, body })}\n\n`);
  }
  response.end('event: end\ndata: {}\n\n');
}

const SIGNED_IN_S = 12 * 60 * 60;

/**
 * A cookie that other sites cannot use. A browser sends it to every port of this machine, so it is no token: it ends by
 * itself, and signs nobody else in.
 */
function signIn(response, name, tokens) {
  if (name === undefined) return send(response, 401, 'Open the address with its token.');
  const cookie = cookieOf(name, tokens, Math.floor(Date.now() / 1000) + SIGNED_IN_S);
  const terms = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${SIGNED_IN_S}`;
  response.writeHead(303, { location: '/', 'set-cookie': `session=${cookie}; ${terms}`, 'cache-control': 'no-store' });
  response.end();
}

/** Every process of the server knows the tokens, and so the cookies that are made of them. */
function cookieOf(name, tokens, ends) {
  const words = `${name}.${ends}`;
  return `${words}.${createHmac('sha256', tokens.get(name)).update(`session ${words}`).digest('hex')}`;
}

/** The name of the person who asks; undefined for a stranger. */
function signedIn({ headers }, tokens) {
  if (headers.authorization !== undefined) return nameOf(headers.authorization.replace(/^Bearer /, ''), tokens);
  const [, cookie, name, ends] = /(?:^|; )session=((\w+)\.(\d{1,12})\.\w+)/.exec(headers.cookie ?? '') ?? [];
  if (!tokens.has(name) || Number(ends) <= Date.now() / 1000) return undefined;
  return isSame(cookie, cookieOf(name, tokens, Number(ends))) ? name : undefined;
}

function nameOf(token, tokens) {
  return [...tokens.keys()].find((name) => isSame(token, tokens.get(name)));
}

function isSame(given, token) {
  const hash = (word) => createHash('sha256').update(word).digest();
  return timingSafeEqual(hash(given ?? ''), hash(token));
}

async function readBody(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > BODY_BYTES_MAX) throw new Error('The body is too long.');
  }
  return JSON.parse(body);
}

function text(value) {
  if (typeof value !== 'string' || value === '') throw new Error('A text is missing.');
  return value;
}

function send(response, status, body, type = 'text/plain; charset=utf-8') {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
