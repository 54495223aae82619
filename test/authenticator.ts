import type { Assertion, SignedQuestion } from '../core/approval/assertion.ts';
import { base64url, challengeOf } from '../core/approval/assertion.ts';
import { sha256, sha256Hex } from '../core/hash.ts';

/** What a page and its passkey say; a test changes a member to lie. */
export interface Said {
  readonly origin: string;
  readonly rp: string;
  readonly flags: number;
  readonly counter: number;
  readonly type: string;
  readonly challenge: string;
  /** Members behind those of the client data. */
  readonly more: string;
  readonly extensions: Uint8Array;
}

/** A passkey made of software: the bytes of Web Authentication, and real keys. */
export interface Passkey {
  readonly cose: Uint8Array;
  /** SHA-256 of `cose`. */
  readonly key: string;
  readonly algorithm: Algorithm;
  sign(question: SignedQuestion, said?: Partial<Said>): Promise<Assertion>;
}

type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

const MAKE = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

export const ORIGIN = 'http://localhost:4180';

/** Makes a passkey of a page, of a key that another process has kept if it is given. */
export async function makePasskey(algorithm: Algorithm = 'ES256', page = ORIGIN, kept?: JsonWebKey): Promise<Passkey> {
  const jwk = kept ?? (await makeKey(algorithm));
  const privateKey = await crypto.subtle.importKey('jwk', jwk, MAKE[algorithm], false, ['sign']);
  const cose = coseOf(algorithm, jwk);
  const sign = async (question: SignedQuestion, said: Partial<Said> = {}): Promise<Assertion> => {
    const { origin = page, rp = new URL(page).hostname, flags = 0b101, counter = 7, more = '' } = said;
    const { type = 'webauthn.get', extensions = new Uint8Array() } = said;
    const challenge = said.challenge ?? base64url(challengeOf(question));
    const clientData = new TextEncoder().encode(
      `{"type":"${type}","challenge":"${challenge}","origin":"${origin}","crossOrigin":false${more}}`,
    );
    const head = [flags, counter >>> 24, (counter >> 16) & 255, (counter >> 8) & 255, counter & 255];
    const authenticator = Uint8Array.from([...sha256(new TextEncoder().encode(rp)), ...head, ...extensions]);
    const bytes = Uint8Array.from([...authenticator, ...sha256(clientData)]);
    const raw = new Uint8Array(await crypto.subtle.sign(MAKE[algorithm], privateKey, bytes));
    return {
      key: base64url(cose),
      client_data: base64url(clientData),
      authenticator_data: base64url(authenticator),
      signature: base64url(algorithm === 'ES256' ? der(raw) : raw),
    };
  };
  return { cose, key: sha256Hex(cose), algorithm, sign };
}

/** A new private key. */
export async function makeKey(algorithm: Algorithm = 'ES256'): Promise<JsonWebKey> {
  const pair = (await crypto.subtle.generateKey(MAKE[algorithm], true, ['sign', 'verify'])) as CryptoKeyPair;
  return crypto.subtle.exportKey('jwk', pair.privateKey);
}

function coseOf(algorithm: Algorithm, { x = '', y = '', n = '' }: JsonWebKey): Uint8Array {
  switch (algorithm) {
    case 'ES256':
      return Uint8Array.from([...hex('a50102032620012158 20'), ...decoded(x), ...hex('225820'), ...decoded(y)]);
    case 'EdDSA':
      return Uint8Array.from([...hex('a4010103272006215820'), ...decoded(x)]);
    case 'RS256':
      return Uint8Array.from([...hex('a401030339010020590100'), ...decoded(n), ...hex('2143010001')]);
  }
}

export function hex(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(' ', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function decoded(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

function der(raw: Uint8Array): Uint8Array {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].flatMap((number) => {
    const digits = [...number.subarray(number.findIndex((byte) => byte !== 0))];
    const padded = (digits[0] as number) >= 0x80 ? [0, ...digits] : digits;
    return [0x02, padded.length, ...padded];
  });
  return Uint8Array.from([0x30, numbers.length, ...numbers]);
}
