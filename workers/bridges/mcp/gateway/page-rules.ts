import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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

export interface BrowserSession {
  readonly cookie: string;
  readonly key: string;
}

/**
 * Who may use the page. The token of an address opens a session a single time, within ten minutes. A session is a cookie that no
 * script reads, and a key that the tab keeps: servers of other ports of this machine get the cookie too, but not the key.
 */
export class PageAccess {
  readonly #host: string;
  readonly #cookieName: string;
  readonly #sessions: BrowserSession[] = [];
  /** Tokens that were not used yet, with the times in ms at which they end. */
  readonly #tokens = new Map<string, number>();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
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
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sallyport",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
