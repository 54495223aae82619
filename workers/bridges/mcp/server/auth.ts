import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { refuse } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json/value.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { isSafe, type TokenAuth } from './options.ts';

/** The person or program that a token stands for. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
}

/** Facts of a check that its test replaces. */
export interface TokenHost {
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Response>;
  /** Aborts a request after 5 s. */
  readonly limit: () => AbortSignal;
  /** ms since epoch. */
  readonly now: () => number;
}

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** s by which the clocks of issuer and server may differ. */
const CLOCK_S = 60;
const TOKEN_CHARACTERS = 8_192;
const KEYS_BYTES = 64 << 10;
const KEYS_MS = 5_000;
const KEEP_MS = 10 * 60_000;
const AGAIN_MS = 60_000;

const HOST: TokenHost = {
  fetch: (url, signal) => fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } }),
  limit: () => AbortSignal.timeout(KEYS_MS),
  now: Date.now,
};

/**
 * Checks the bearer tokens of one issuer: RS256, ES256 and EdDSA; `iss` and `aud` exact; `exp`, `nbf` with 60 s. The keys
 * come from the issuer's metadata (RFC 8414, then OpenID Connect Discovery) by https, or from the loopback: at most 64 KiB
 * in 5 s. They are kept for 10 minutes, and read again for an unknown `kid` once a minute. A token is never passed on.
 */
export class TokenChecker {
  readonly #auth: TokenAuth;
  readonly #host: TokenHost;
  #keys: { readonly of: JWTVerifyGetKey; readonly at: number } | undefined;
  #reading: Promise<JWTVerifyGetKey> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(auth: TokenAuth, host: TokenHost = HOST) {
    this.#auth = auth;
    this.#host = host;
  }

  /** The principal behind the header `Authorization`, or the reason why there is none. Never rejects. */
  async check(authorization: string | undefined): Promise<Principal | Refusal> {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return refuse('token_missing', {}).refusal;
    if (token.length > TOKEN_CHARACTERS) return refuse('token_form', { reason: 'it is too long' }).refusal;
    try {
      return await this.#verified(token);
    } catch (error) {
      return error instanceof Unreachable
        ? refuse('issuer_unreachable', { reason: error.message }).refusal
        : refusalOf(error, token);
    }
  }

  async #verified(token: string): Promise<Principal> {
    const { issuer, audience } = this.#auth;
    const { payload } = await jwtVerify(token, (header, parts) => this.#keyOf(header, parts), {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_S,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(this.#host.now()),
    });
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new errors.JWTInvalid('sub is no text');
    return { issuer, subject: payload.sub };
  }

  readonly #keyOf: JWTVerifyGetKey = async (header, parts) => {
    const now = this.#host.now();
    const isKept = this.#keys !== undefined && now - this.#keys.at < KEEP_MS;
    const keys = isKept && this.#keys !== undefined ? this.#keys.of : await this.#read();
    try {
      return await keys(header, parts);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || now - this.#readAt < AGAIN_MS) throw error;
      return (await this.#read())(header, parts);
    }
  };

  /** Requests that come meanwhile wait for the same reading; keys that were kept count on when a reading fails. */
  #read(): Promise<JWTVerifyGetKey> {
    this.#reading ??= this.#readKeys().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readKeys(): Promise<JWTVerifyGetKey> {
    const now = this.#host.now();
    // an issuer that fails is asked once a minute, too
    if (this.#failed !== undefined && now - this.#readAt < AGAIN_MS) throw this.#failed;
    this.#readAt = now;
    try {
      const of = createLocalJWKSet((await this.#json(await this.#keysAddress())) as JSONWebKeySet);
      this.#keys = { of, at: now };
      this.#failed = undefined;
      return of;
    } catch (error) {
      this.#failed = error instanceof Unreachable ? error : new Unreachable('they are no JSON Web Key Set');
      throw this.#failed;
    }
  }

  #failed: Unreachable | undefined;

  /** RFC 8414 3.1 puts the well-known part before the path of the issuer; OpenID Connect puts it behind. */
  async #keysAddress(): Promise<string> {
    const { issuer } = this.#auth;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ];
    const faults: string[] = [];
    for (const place of places) {
      const found = await this.#json(place).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error;
        faults.push(error.message);
      });
      if (!isObject(found)) continue;
      if (found['issuer'] !== issuer) throw new Unreachable('its metadata name another issuer');
      const address = found['jwks_uri'];
      if (typeof address !== 'string' || !isSafe(address)) throw new Unreachable('its metadata name no https jwks_uri');
      return address;
    }
    throw new Unreachable(faults.join('; ') || 'it has no metadata');
  }

  async #json(url: string): Promise<unknown> {
    const signal = this.#host.limit();
    try {
      const response = await this.#host.fetch(url, signal);
      if (!response.ok) throw new Unreachable(`${url} answers ${response.status}`);
      return JSON.parse(await boundedText(response, url));
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      throw new Unreachable(signal.aborted ? `${url} took over ${KEYS_MS} ms` : `${url} cannot be read`);
    }
  }
}

class Unreachable extends Error {}

async function boundedText({ body }: Response, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  const reader = body?.getReader();
  let length = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || value === undefined) return Buffer.concat(parts).toString('utf8');
    length += value.byteLength;
    if (length > KEYS_BYTES) {
      void reader?.cancel().catch(() => undefined);
      throw new Unreachable(`${url} has over ${KEYS_BYTES} bytes`);
    }
    parts.push(value);
  }
}

function refusalOf(error: unknown, token: string): Refusal {
  const { JWTExpired, JWTClaimValidationFailed, JOSEAlgNotAllowed, JWSSignatureVerificationFailed } = errors;
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys } = errors;
  if (error instanceof JWTExpired) return refuse('token_expired', {}).refusal;
  if (error instanceof JOSEAlgNotAllowed) return refuse('token_algorithm', { algorithm: algorithmOf(token) }).refusal;
  if (error instanceof JWSSignatureVerificationFailed) return refuse('token_signature', {}).refusal;
  if (error instanceof JWKSNoMatchingKey || error instanceof JWKSMultipleMatchingKeys)
    return refuse('token_key', {}).refusal;
  if (error instanceof JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (claim === 'iss') return refuse('token_issuer', {}).refusal;
    if (claim === 'aud') return refuse('token_audience', {}).refusal;
    if (claim === 'nbf' && reason === 'check_failed') return refuse('token_early', {}).refusal;
    return refuse('token_form', { reason: `its claim ${claim} is missing or wrong` }).refusal;
  }
  return refuse('token_form', { reason: 'it cannot be read' }).refusal;
}

/** The algorithm that a token says, cut to size: a stranger's text. */
function algorithmOf(token: string): string {
  try {
    const [head = ''] = token.split('.');
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString('utf8')) as { readonly alg?: unknown };
    return typeof alg === 'string' && /^[\w-]{1,32}$/.test(alg) ? alg : 'another algorithm';
  } catch {
    return 'another algorithm';
  }
}
