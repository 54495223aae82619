import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Effect } from '../../../../core/capability/guard.ts';
import { decode } from '../../../../core/json/decode.ts';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import type { PageSections } from './page-html.ts';
import { PAGE_HEADERS, PageAccess } from './page-rules.ts';
import { LINK_DOCUMENT, LINK_SCRIPT, pageDocument } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import type { PageAnswer, SeenTool } from './questions.ts';

/** What happened to an act of the person. */
export interface ActResult {
  readonly isDone: boolean;
  readonly message: string;
}

export interface PageParts {
  /** The script of the page, for browsers. */
  readonly script: string;
  readonly sections: () => PageSections;
  /** `effect`: what the person says that the tool does, with *Always*. */
  readonly answer: (digest: string, answer: PageAnswer, seen: SeenTool, effect?: Effect) => Promise<ActResult>;
  readonly accept: (seen: SeenTool, pinned: string) => Promise<ActResult>;
  /** Takes back what the person has said, by its id. */
  readonly takeBack: (id: string) => Promise<ActResult>;
}

/** ms that a request for the state waits for a change. */
const WAIT_MS = 25_000;
const BODY_BYTES_MAX = 4096;
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
  readonly #waiting = new Set<() => void>();
  #access: PageAccess = new PageAccess(0);
  #version = 1;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#server = createServer({ requestTimeout: 10_000 }, (request, response) => {
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

  /** Listens on the loopback at a free port. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.#access = new PageAccess((this.#server.address() as AddressInfo).port);
    this.#server.unref();
  }

  /** Shows the newest state to every tab. */
  changed(): void {
    this.#version += 1;
    for (const wake of this.#waiting) wake();
  }

  async close(): Promise<void> {
    this.changed();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
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
      case 'POST /accept':
        return this.#permitted(request, () => this.#accept(request));
      case 'POST /take-back':
        return this.#permitted(request, () => this.#takeBack(request));
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
    const { digest, answer, effect, ...rest } = (await bodyOf(request)) ?? {};
    const seen = seenIn(rest);
    const isDeclared = effect === undefined || (answer === 'always' && isDeclarable(effect));
    if (typeof digest !== 'string' || !isAnswer(answer) || seen === undefined || !isDeclared)
      return json(400, { message: 'This is no answer.' });
    const declared = isDeclarable(effect) ? [effect] : [];
    return acted(await this.#parts.answer(digest, answer, seen, ...declared));
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
}

function isAnswer(value: unknown): value is PageAnswer {
  return value === 'once' || value === 'always' || value === 'deny';
}

/** The tool that the card has shown. Every act of the page names it. */
function seenIn({ definition, revision }: JsonObject): SeenTool | undefined {
  return typeof definition === 'string' && typeof revision === 'number' ? { definition, revision } : undefined;
}

function isDeclarable(value: unknown): value is Effect {
  return value === 'read' || value === 'write' || value === 'egress';
}

function acted({ isDone, message }: ActResult): Reply {
  return json(isDone ? 200 : 409, { message });
}

/** The object that a request brings as JSON; undefined for another type, a long body or another value. */
async function bodyOf(request: IncomingMessage): Promise<JsonObject | undefined> {
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  const read = decode(Buffer.concat(chunks));
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
