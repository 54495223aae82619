import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Assertion } from '../../../../core/approval/assertion.ts';
import type { YesSigner } from '../../../../core/approval/signer.ts';
import type { Effect } from '../../../../core/capability/guard.ts';
import { refuse } from '../../../../core/errors.ts';
import { decode } from '../../../../core/json/decode.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json/value.ts';
import { DECODE_LIMITS } from '../../../../core/limits.ts';
import type { EditedArguments } from '../../../../core/run/event.ts';
import { refusalError } from '../../../../core/sallyport-error.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { AllowedSections } from './allowed-html.ts';
import type { Card, PageSections } from './page-html.ts';
import type { PageAnswer, SeenTool, YesDetails } from './questions.ts';
import { type RuleAsk, type RuleReply, ruleAskIn } from './rules.ts';
import type { WatchWish } from './watch.ts';

/** What an answer says beside yes and no. */
export interface AnswerDetails extends YesDetails {
  /** With *Always*: what the person says that the tool does. */
  readonly effect?: Effect;
}

/** The card of an edited call, and what the yes to it brings along. */
export interface EditedCard extends Card {
  readonly instead: EditedArguments;
}

/** What happened to an act of the person. */
export interface ActResult {
  readonly isDone: boolean;
  readonly message: string;
}

interface PageParts {
  /** The script of the page, for browsers. */
  readonly script: string;
  readonly sections: () => PageSections;
  readonly answer: (digest: string, answer: PageAnswer, seen: SeenTool, details: AnswerDetails) => Promise<ActResult>;
  /** Has the gates judge a question's call with the arguments of this JSON text. A refusal is the sentence at the field. */
  readonly edit: (digest: string, args: string, seen: SeenTool) => Promise<EditedCard | ActResult>;
  readonly accept: (seen: SeenTool, pinned: string) => Promise<ActResult>;
  /** Takes back what the person has said, by its id. */
  readonly takeBack: (id: string) => Promise<ActResult>;
  /** Everything that is permitted now, read from the ledger. */
  readonly allowed: () => Promise<AllowedSections>;
  /** A held value of a run, as HTML. Rejects for a handle that the run does not have. */
  readonly held: (run_id: string, handle: string) => Promise<string>;
  /** Proposes, tries and accepts a rule for a tool. */
  readonly rule: (ask: RuleAsk) => Promise<RuleReply>;
  /** Has the calls of a step taken back. */
  readonly undo: (run_id: string, step: number) => Promise<ActResult>;
  /** Begins a watch, or ends it where no wish is given. */
  readonly watch: (wish?: WatchWish) => Promise<ActResult>;
  /** Asks for the signature that adds a further passkey of this page. */
  readonly passkey: (signer: YesSigner) => Promise<ActResult>;
}

/** ms that a request for the state waits for a change. */
const WAIT_MS = 25_000;
const BODY_BYTES_MAX = 4096;
/** A signature with its key. */
const SIGNED_BYTES_MAX = 16 << 10;
/** Edited arguments: as long as a proposal, whose quotation marks are escaped in the JSON of the page. */
const EDITED_BYTES_MAX: number = 2 * DECODE_LIMITS.bytes + BODY_BYTES_MAX;
/** A rule names the values that a person leaves out or takes in. */
const RULE_BYTES_MAX = 1 << 20;
/** Requests for the state that wait at a time: a tab has one. */
const WAITING_MAX = 32;

const HTML = 'text/html; charset=utf-8';

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly cookie?: string;
}

/** The page on this machine, on which a person answers questions and compares definitions. */
export class GatewayPage {
  readonly #parts: PageParts;
  readonly #server: Server;
  /** The same at the other address of this machine: whoever had it there would be this page to a browser. */
  #other: Server | undefined;
  readonly #waiting = new Set<() => void>();
  #access: PageAccess = new PageAccess('127.0.0.1', 0);
  #version = 1;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#server = this.#newServer();
  }

  #newServer(): Server {
    return createServer({ requestTimeout: 10_000 }, (request, response) => {
      this.#serve(request).then(
        (reply) => respond(response, reply),
        () => response.destroy(),
      );
    });
  }

  get origin(): string {
    return this.#access.origin;
  }

  /** A new address, which opens the page once and within ten minutes. It is for the person alone. */
  newAddress(): string {
    return this.#access.newAddress(Date.now());
  }

  /** True while a tab waits for changes. */
  get isWatched(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Listens on the loopback: at `localhost` and this port, or at 127.0.0.1 and a free port. A passkey belongs to a name and a
   * port. `port_taken`
   */
  async open(port?: number): Promise<void> {
    await listen(this.#server, port ?? 0, '127.0.0.1');
    if (port !== undefined) {
      this.#other = this.#newServer();
      // a machine without this address has nobody at it
      await listen(this.#other, port, '::1').catch((error: unknown) => {
        this.#other = undefined;
        if (!NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      });
      this.#other?.unref();
    }
    this.#access =
      port === undefined
        ? new PageAccess('127.0.0.1', (this.#server.address() as AddressInfo).port)
        : new PageAccess('localhost', port);
    this.#server.unref();
  }

  /** Shows the newest state to every tab. */
  changed(): void {
    this.#version += 1;
    for (const wake of this.#waiting) wake();
  }

  async close(): Promise<void> {
    this.changed();
    const servers = [this.#server, ...(this.#other ? [this.#other] : [])];
    await Promise.all(
      servers.map(async (server) => {
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      }),
    );
  }

  async #serve(request: IncomingMessage): Promise<Reply> {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (!this.#access.isOwn(headers)) {
      const isLink = `${method} ${url.pathname}` === 'GET /' && url.searchParams.has('token');
      if (isLink && this.#access.isFollowed(headers)) return { status: 200, type: HTML, body: LINK_DOCUMENT };
      return text(
        421,
        'This page answers to its own address alone. Paste the address that sallyport mcp has printed.\n',
      );
    }
    if (headers['service-worker'] === 'script')
      return { status: 200, type: 'text/javascript; charset=utf-8', body: LEAVING_WORKER };
    switch (`${method} ${url.pathname}`) {
      case 'GET /':
        return this.#document(request, url.searchParams.get('token'));
      case 'GET /page.css':
        return { status: 200, type: 'text/css; charset=utf-8', body: PAGE_STYLE };
      case 'GET /link.js':
        return { status: 200, type: 'text/javascript; charset=utf-8', body: LINK_SCRIPT };
      case 'GET /page.js':
        return { status: 200, type: 'text/javascript; charset=utf-8', body: this.#parts.script };
      case 'GET /state':
        return this.#permitted(request, () => this.#state(request, Number(url.searchParams.get('since') ?? 0)));
      case 'POST /answer':
        return this.#permitted(request, () => this.#answer(request));
      case 'POST /edit':
        return this.#permitted(request, () => this.#edit(request));
      case 'POST /accept':
        return this.#permitted(request, () => this.#accept(request));
      case 'POST /take-back':
        return this.#permitted(request, () => this.#takeBack(request));
      case 'POST /allowed':
        return this.#permitted(request, () => this.#allowed());
      case 'POST /held':
        return this.#permitted(request, () => this.#held(request));
      case 'POST /rule':
        return this.#permitted(request, () => this.#rule(request));
      case 'POST /undo':
        return this.#permitted(request, () => this.#undo(request));
      case 'POST /passkey':
        return this.#permitted(request, () => this.#passkey(request));
      case 'POST /watch':
        return this.#permitted(request, () => this.#watch(request));
      default:
        return text(404, 'Not found\n');
    }
  }

  #document({ headers }: IncomingMessage, token: string | null): Reply {
    const session = token === null ? undefined : this.#access.enter(token, Date.now());
    if (session !== undefined) {
      return { status: 200, type: HTML, body: pageDocument(session.key), cookie: this.#access.cookieFor(session) };
    }
    if (this.#access.isKnown(headers)) return { status: 200, type: HTML, body: pageDocument(undefined) };
    return text(
      403,
      'An address opens this page a single time, within ten minutes. Use the newest address that sallyport mcp has printed.\n',
    );
  }

  async #permitted({ headers }: IncomingMessage, act: () => Promise<Reply>): Promise<Reply> {
    return this.#access.isPermitted(headers) ? act() : json(403, { message: 'This page is not signed in.' });
  }

  /** Waits for a state that is newer than the tab's. */
  async #state(request: IncomingMessage, since: number): Promise<Reply> {
    if (since === this.#version && this.#waiting.size < WAITING_MAX) await this.#change(request);
    return json(200, { version: this.#version, ...this.#parts.sections() });
  }

  #change(request: IncomingMessage): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        request.socket.off('close', wake);
        resolve();
      };
      const timer = setTimeout(wake, WAIT_MS);
      timer.unref();
      this.#waiting.add(wake);
      request.socket.once('close', wake);
    });
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const body = await bodyOf(request, SIGNED_BYTES_MAX + EDITED_BYTES_MAX);
    const { digest, answer, effect, signed, instead, ...rest } = body ?? {};
    const seen = seenIn(rest);
    const isDeclared = effect === undefined || (answer === 'always' && isDeclarable(effect));
    const isSigned = signed === undefined || (answer === 'once' && isObject(signed));
    const edited = instead === undefined || answer !== 'once' ? undefined : editedIn(instead);
    const isWhole = isDeclared && isSigned && (instead === undefined || edited !== undefined);
    if (typeof digest !== 'string' || !isAnswer(answer) || seen === undefined || !isWhole)
      return json(400, { message: 'This is no answer.' });
    // the run checks the form of a signature with the signature
    const details = {
      ...(isDeclarable(effect) && { effect }),
      ...(isObject(signed) && { signed: signed as unknown as Assertion }),
      ...(edited && { instead: edited }),
    };
    return acted(await this.#parts.answer(digest, answer, seen, details));
  }

  async #edit(request: IncomingMessage): Promise<Reply> {
    const { digest, args, ...rest } = (await bodyOf(request, EDITED_BYTES_MAX)) ?? {};
    const seen = seenIn(rest);
    if (typeof digest !== 'string' || typeof args !== 'string' || seen === undefined)
      return json(400, { message: 'This is no edit.' });
    const edited = await this.#parts.edit(digest, args, seen);
    return 'html' in edited ? json(200, edited) : acted(edited);
  }

  async #accept(request: IncomingMessage): Promise<Reply> {
    const { pinned, ...rest } = (await bodyOf(request)) ?? {};
    const seen = seenIn(rest);
    if (typeof pinned !== 'string' || seen === undefined) return json(400, { message: 'This names no definition.' });
    return acted(await this.#parts.accept(seen, pinned));
  }

  async #takeBack(request: IncomingMessage): Promise<Reply> {
    const { digest } = (await bodyOf(request)) ?? {};
    if (typeof digest !== 'string') return json(400, { message: 'This names no rule.' });
    return acted(await this.#parts.takeBack(digest));
  }

  async #allowed(): Promise<Reply> {
    try {
      return json(200, await this.#parts.allowed());
    } catch (error) {
      return json(409, { message: `The list cannot be read: ${visibleLine((error as Error).message)}` });
    }
  }

  async #held(request: IncomingMessage): Promise<Reply> {
    const { run, handle } = (await bodyOf(request)) ?? {};
    if (typeof run !== 'string' || typeof handle !== 'string') return json(400, { message: 'This names no value.' });
    try {
      return json(200, { html: await this.#parts.held(run, handle) });
    } catch (error) {
      return json(409, { message: `The value cannot be opened: ${visibleLine((error as Error).message)}` });
    }
  }

  async #watch(request: IncomingMessage): Promise<Reply> {
    const { option, egress, end } = (await bodyOf(request)) ?? {};
    if (end === true) return acted(await this.#parts.watch());
    if (typeof option !== 'string' || (egress !== undefined && egress !== true))
      return json(400, { message: 'This is no watch.' });
    return acted(await this.#parts.watch({ option, ...(egress === true && { egress }) }));
  }

  async #rule(request: IncomingMessage): Promise<Reply> {
    const ask = ruleAskIn((await bodyOf(request, RULE_BYTES_MAX)) ?? {});
    if (ask === undefined) return json(400, { message: 'This asks for no rule.' });
    const { status, value } = await this.#parts.rule(ask);
    return json(status, value);
  }

  async #passkey(request: IncomingMessage): Promise<Reply> {
    const { name, key } = (await bodyOf(request)) ?? {};
    if (typeof name !== 'string' || typeof key !== 'string') return json(400, { message: 'This names no passkey.' });
    return acted(await this.#parts.passkey({ name, key, origin: this.origin }));
  }

  async #undo(request: IncomingMessage): Promise<Reply> {
    const { run, step } = (await bodyOf(request)) ?? {};
    if (typeof run !== 'string' || typeof step !== 'number') return json(400, { message: 'This names no step.' });
    return acted(await this.#parts.undo(run, step));
  }
}

const NO_ADDRESS: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(error.code === 'EADDRINUSE' ? refusalError(refuse('port_taken', { port }).refusal) : error);
    server.once('error', failed).listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function isAnswer(value: unknown): value is PageAnswer {
  return value === 'once' || value === 'always' || value === 'deny';
}

/** The tool that the card has shown. Every act of the page names it. */
function seenIn({ definition, revision }: JsonObject): SeenTool | undefined {
  return typeof definition === 'string' && typeof revision === 'number' ? { definition, revision } : undefined;
}

/** Edited arguments as the server has given them to the page. The run judges them anew. */
function editedIn(value: JsonValue): EditedArguments | undefined {
  if (!isObject(value)) return undefined;
  const { args, digest } = value;
  return typeof args === 'string' && typeof digest === 'string' ? { args, digest } : undefined;
}

function isDeclarable(value: unknown): value is Effect {
  return value === 'read' || value === 'write' || value === 'egress';
}

function acted({ isDone, message }: ActResult): Reply {
  return json(isDone ? 200 : 409, { message });
}

/** The object that a request brings as JSON; undefined for another type, a long body or another value. */
async function bodyOf(request: IncomingMessage, bytesMax = BODY_BYTES_MAX): Promise<JsonObject | undefined> {
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  const read = decode(Buffer.concat(chunks), { ...DECODE_LIMITS, bytes: bytesMax });
  return read.ok && isObject(read.value) ? read.value : undefined;
}

function text(status: number, body: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body };
}

function json(status: number, value: object): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

function respond(response: ServerResponse, { status, type, body, cookie }: Reply): void {
  const headers = { ...PAGE_HEADERS, 'Content-Type': type, ...(cookie !== undefined && { 'Set-Cookie': cookie }) };
  response.writeHead(status, headers).end(body);
}

/** Name of the header that carries a tab's key. A page of another origin cannot send it without a preflight. */
export const KEY_HEADER = 'x-sallyport-key';

/** ms in which an address opens the page. */
const TOKEN_MS = 600_000;

/** Addresses that can be used at a time: the oldest ends. */
const TOKENS_MAX = 16;

/** Sessions of browsers that the page keeps: the oldest is forgotten. */
const SESSIONS_MAX = 16;

/** 256 random bits. */
function randomKey(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
}

interface BrowserSession {
  readonly cookie: string;
  readonly key: string;
}

/**
 * Who may use the page. The token of an address opens a session a single time, within ten minutes. A session is a cookie that no
 * script reads, and a key that the tab keeps: servers of other ports of this machine get the cookie too, but not the key.
 */
class PageAccess {
  readonly #host: string;
  readonly #cookieName: string;
  readonly #sessions: BrowserSession[] = [];
  /** Tokens that were not used yet, with the times in ms at which they end. */
  readonly #tokens = new Map<string, number>();

  constructor(name: string, port: number) {
    this.#host = `${name}:${port}`;
    this.#cookieName = `sallyport_${port}`;
  }

  get origin(): string {
    return `http://${this.#host}`;
  }

  /** A new address, which opens the page once and within ten minutes. */
  newAddress(now: number): string {
    const token = randomKey();
    this.#tokens.set(token, now + TOKEN_MS);
    for (const old of [...this.#tokens.keys()].slice(0, -TOKENS_MAX)) this.#tokens.delete(old);
    return `${this.origin}/?token=${token}`;
  }

  /** False for a name that only resolves to this machine (DNS rebinding), and for a page of another origin. */
  isOwn({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
    if (host !== this.#host) return false;
    if (origin !== undefined && origin !== `http://${this.#host}`) return false;
    return site === undefined || site === 'same-origin' || site === 'none';
  }

  /**
   * True for a link to the page that a person has followed from another page, for example from that of a host. Such a
   * request opens nothing by itself.
   */
  isFollowed({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    return host === this.#host && origin === undefined && isNavigation;
  }

  /** Opens a session for a token that was not used yet. */
  enter(given: string, now: number): BrowserSession | undefined {
    const token = [...this.#tokens.keys()].find((each) => isSame(given, each));
    if (token === undefined) return undefined;
    const ends = this.#tokens.get(token) ?? 0;
    this.#tokens.delete(token);
    if (now >= ends) return undefined;
    const session = { cookie: randomKey(), key: randomKey() };
    this.#sessions.push(session);
    this.#sessions.splice(0, this.#sessions.length - SESSIONS_MAX);
    return session;
  }

  /** True if the request has the cookie of a session. */
  isKnown({ cookie }: IncomingHttpHeaders): boolean {
    return this.#session(cookie) !== undefined;
  }

  /** True if the request has the cookie and the key of the same session. */
  isPermitted(headers: IncomingHttpHeaders): boolean {
    const key = headers[KEY_HEADER];
    const session = this.#session(headers.cookie);
    return session !== undefined && typeof key === 'string' && isSame(key, session.key);
  }

  /** Value of the header that gives a browser its session. */
  cookieFor({ cookie }: BrowserSession): string {
    return `${this.#cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #session(cookies: string | undefined): BrowserSession | undefined {
    const pairs = (cookies ?? '').split(';').map((pair) => pair.trim().split('=', 2));
    const given = pairs.filter(([name]) => name === this.#cookieName).map(([, value = '']) => value);
    return this.#sessions.find(({ cookie }) => given.some((value) => isSame(value, cookie)));
  }
}

/** Headers of every answer. The page loads its own files alone, and no other page shows it in a frame. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sallyport lit-html",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The documents of the page. Its script is `web/gateway/page.ts`. */

/** The document. `key` is absent for a tab that has its key already. */
function pageDocument(key: string | undefined): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${key === undefined ? '' : `<meta name="key" content="${key}">`}
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script></head>
<body><header><h1>Sallyport</h1><p id="status" role="status">Waiting for the gateway.</p></header>
<main><section aria-labelledby="questions-title"><h2 id="questions-title" tabindex="-1">Calls that wait for you</h2><p id="questions-none">No call waits.</p><div id="questions"></div></section>
<section aria-labelledby="changes-title"><h2 id="changes-title" tabindex="-1">Changed definitions</h2><p id="changes-none">No definition has changed.</p><div id="changes"></div></section>
<section aria-labelledby="effects-title"><h2 id="effects-title" tabindex="-1">Declared effects</h2><p id="effects-none">You have declared no effect of a tool.</p><div id="effects"></div></section>
<section aria-labelledby="grants-title" id="allowed"><h2 id="grants-title" tabindex="-1">What you have allowed</h2><p class="buttons"><button type="button" id="allowed-read">Show the list</button></p><p class="note" id="allowed-note" aria-live="polite"></p>
<div id="allowed-list" hidden><p id="grants-none">Nothing is permitted: every call asks.</p><div id="grants"></div><h3 id="sources-title" tabindex="-1">Sources that were handed held values</h3><p id="sources-none">None was.</p><div id="sources"></div></div></section>
<section aria-labelledby="watch-title"><h2 id="watch-title" tabindex="-1">Watch</h2><div id="watch"></div></section>
<section aria-labelledby="tools-title"><h2 id="tools-title">Tools</h2><div id="tools"></div></section>
<section aria-labelledby="runs-title"><h2 id="runs-title" tabindex="-1">Runs</h2><div id="runs"></div></section>
<section aria-labelledby="held-title" id="held" hidden><h2 id="held-title" tabindex="-1">A held value</h2><p class="note">It is data, whatever it says. No model has read it.</p><div id="held-value"></div><p class="buttons"><button type="button" id="held-close">Close the value</button></p></section>
<section aria-labelledby="passkeys-title" id="passkeys"><h2 id="passkeys-title" tabindex="-1">Passkeys</h2><p class="note">A passkey of this browser signs a yes where the grant of a tool says <code>signed</code>. <span class="obstacle"></span></p><ul></ul>
<form class="choices" hidden><label>Name <input type="text" name="name" required maxlength="100" autocomplete="name"></label><button>Make a passkey</button></form></section>
<section aria-labelledby="servers-title"><h2 id="servers-title">Servers</h2><div id="servers"></div></section></main><sp-rule></sp-rule></body></html>`;
}

/**
 * Document for an address that was followed from another page. The token is used by a click here alone: a page that
 * sends a person to this address has not opened the page with it.
 */
const LINK_DOCUMENT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport</title><link rel="stylesheet" href="/page.css"><script type="module" src="/link.js"></script></head>
<body><main><h1>Sallyport</h1><p>Calls that wait for you are shown on a page of this machine. The address opens it once.</p>
<p class="buttons"><button type="button">Open the page</button></p></main></body></html>`;

/** Script of that document. The address leaves the history at once. */
const LINK_SCRIPT = `'use strict';
const address = location.href;
history.replaceState(null, '', '/');
document.querySelector('button').addEventListener('click', (event) => { if (event.isTrusted) location.replace(address); });
`;

/**
 * The page has no service worker. One of a program that had this port before, such as a server under development, would
 * stand between the browser and the page: with its next update it becomes this, and leaves.
 */
const LEAVING_WORKER = `'use strict';
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(registration.unregister()));
`;

/** Style of the page: light and dark by the system, one column on a phone. */
const PAGE_STYLE: string = `
:root { color-scheme: light dark; --back: #fbfaf7; --front: #1c1b18; --soft: #55524a; --line: #b9b4a7; --card: #fff; --accent: #0b5c4a; --warn: #8a2d00; --mark: #ffe08a; }
@media (prefers-color-scheme: dark) { :root { --back: #161513; --front: #ece9e1; --soft: #b3aea1; --line: #5b574d; --card: #201f1c; --accent: #6fd3b8; --warn: #ffab7a; --mark: #6b5200; } }
* { box-sizing: border-box; } [hidden] { display: none !important; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back); color: var(--front); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 0 0 .5rem; } h4 { font-size: .9rem; margin: 1rem 0 .25rem; }
code, pre { font: .9rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: .6rem; max-height: 20rem; overflow: auto; white-space: pre-wrap; border: 1px solid var(--line); border-radius: .3rem; }
.card { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-left: .35rem solid var(--accent); border-radius: .4rem; }
.changed { border-left-color: var(--warn); } .effect { color: var(--warn); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .15rem; }
pre.exact { unicode-bidi: bidi-override; } .past { visibility: hidden; } .end { display: inline-block; width: 1px; height: 1em; } .warn { color: var(--warn); font-weight: 650; margin: .5rem 0 0; }
details { margin-top: .75rem; } summary { padding: .25rem 0; cursor: pointer; } .halves { table-layout: fixed; } .halves tbody tr:first-child > * { border-bottom: 0; padding-top: .6rem; }
.rule p { margin: .25rem 0 0; } .rule .buttons { margin-top: .6rem; }
.editor { margin-top: 1rem; } .editor label { font-size: .9rem; font-weight: 650; } textarea { display: block; width: 100%; margin-top: .25rem; padding: .6rem; font: .9rem/1.45 ui-monospace, monospace; color: var(--front); background: var(--back); border: 1px solid var(--line); border-radius: .3rem; } .editing .buttons button:not([data-answer="deny"]), .editing > .note { display: none; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0 0; }
button { min-height: 2.75rem; padding: .4rem 1rem; font: inherit; color: var(--front); background: var(--back); border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
button[aria-disabled="true"] { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note, #status { color: var(--soft); } .note { margin: .5rem 0 0; font-size: .9rem; }
.scroll { overflow-x: auto; } td code { overflow-wrap: break-word; } table { border-collapse: collapse; width: 100%; font-size: .9rem; } th, td { padding: .3rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.choices { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1rem; margin: .75rem 0 0; } .choices label { display: flex; align-items: center; gap: .5rem; min-height: 2.75rem; } .choices input[type="checkbox"] { width: 1.25rem; height: 1.25rem; } select { min-height: 2.75rem; padding: .3rem .6rem; font: inherit; color: var(--front); background: var(--back); border: 1px solid var(--line); border-radius: .4rem; }
#tools li { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); } #tools ul, #passkeys ul { list-style: none; margin: 0; padding: 0; } #passkeys li { padding: .6rem 0; border-bottom: 1px solid var(--line); } #passkeys p { overflow-wrap: anywhere; } input[type="text"] { min-height: 2.75rem; padding: .3rem .6rem; font: inherit; color: var(--front); background: var(--back); border: 1px solid var(--line); border-radius: .4rem; min-width: 0; max-width: 100%; } #tools .name { flex: 1 1 14rem; overflow-wrap: anywhere; }
sp-rule { --panel: var(--card); --ink: var(--front); --edge: var(--line); --raised: var(--back); --sunk: var(--back); --bad: var(--warn); --wait: var(--warn); --good: var(--accent); --on-accent: var(--card); --accent-strong: var(--accent); --accent-wash: var(--back); --focus: var(--accent); --radius: .4rem; --radius-small: .3rem; --mono: ui-monospace, monospace; --lift: none; --ease: 0s; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } .buttons button { flex: 1 1 100%; } }
`;
