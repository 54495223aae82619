import { refuse } from '../errors.ts';
import { isHash, sha256, sha256Hex } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { decode } from '../json/decode.ts';
import { encodeText } from '../json/utf8.ts';
import { isObject, type JsonObject, member } from '../json/value.ts';
import { decodeBase64, encodeBase64 } from '../ledger/base64.ts';
import { BYTES, demand, type OptionType } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { hostOf, type YesSigner } from './signer.ts';

/** What a passkey has signed, as records hold it. Each text is base64url without padding. */
export interface Assertion {
  /** The public key in its COSE form. */
  readonly key: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
}

/** The only answers that can be signed: yes to this call, or a standing yes with its terms. */
export type SignedAnswer = 'once' | JsonObject;

/** What a signed yes is about. */
export interface SignedQuestion {
  /** Digest of the question, which binds arguments, run, step and nonce. */
  readonly digest: string;
  /** Hash of the definition on the screen. */
  readonly definition: string;
  readonly answer: SignedAnswer;
}

/** A public key as Web Cryptography takes it. */
export interface PublicKey {
  readonly algorithm: 'ES256' | 'EdDSA' | 'RS256';
  readonly jwk: { readonly [member: string]: string };
}

/** The part of an assertion that Web Cryptography has to check. */
export interface SignedBytes extends PublicKey {
  readonly bytes: Uint8Array;
  /** In the form of Web Cryptography: of ES256 the two numbers, 32 bytes each. */
  readonly signature: Uint8Array;
}

/** An assertion in order, but for its signature. */
export interface CheckedAssertion {
  readonly signer: YesSigner;
  /** Counter of the passkey: told, and decides nothing. */
  readonly counter: number;
}

/**
 * The challenge that a passkey signs for a yes: SHA-256 of canonical JSON of `["sallyport/yes/1", digest, definition,
 * answer]`. It binds question, definition and answer, and nothing else may be taken from the assertion.
 */
export function challengeOf(question: SignedQuestion): Uint8Array {
  demand('question', question, QUESTION);
  const { digest, definition, answer } = question;
  return sha256(encodeText(canonicalText(['sallyport/yes/1', digest, definition, answer])));
}

/**
 * An assertion for this question by one of these signers, in order but for its signature. Never throws, for any value.
 * Refuses, in this order: `assertion_form`, `assertion_key`, `assertion_challenge`, `assertion_origin`,
 * `assertion_framed`, `assertion_rp`, `assertion_unverified`.
 *
 * @see Web Authentication Level 3, 7.2, steps 10 to 21
 */
export function checkAssertion(
  given: unknown,
  question: SignedQuestion,
  signers: readonly YesSigner[],
): Outcome<CheckedAssertion> {
  const parts = partsIn(given);
  if (typeof parts === 'string') return refuse('assertion_form', { reason: parts }, APPROVE);
  const { cose, client, authenticator } = parts;
  const named = sha256Hex(cose);
  const candidates = signers.filter(({ key }) => key === named);
  const { challenge, origin } = client;
  // a key may be named for several origins
  const signer = candidates.find((each) => each.origin === origin);
  const [candidate] = candidates;
  if (candidate === undefined) return refuse('assertion_key', {}, APPROVE);
  if (challenge !== base64url(challengeOf(question))) return refuse('assertion_challenge', {}, APPROVE);
  if (signer === undefined) return refuse('assertion_origin', { origin, wanted: candidate.origin }, APPROVE);
  if (client.isFramed) return refuse('assertion_framed', {}, APPROVE);
  const rp = signer.rp ?? hostOf(signer.origin);
  if (!isSame(authenticator.subarray(0, HASH_BYTES), sha256(encodeText(rp))))
    return refuse('assertion_rp', { wanted: rp }, APPROVE);
  const flags = authenticator[HASH_BYTES] as number;
  if ((flags & IS_VERIFIED) !== IS_VERIFIED) return refuse('assertion_unverified', {}, APPROVE);
  const counter = new DataView(authenticator.buffer, authenticator.byteOffset).getUint32(HASH_BYTES + 1);
  return pass({ signer, counter });
}

/** What the holder of the passkey has signed; undefined for a value that is no assertion. Never throws, for any value. */
export function signedBytesIn(given: unknown): SignedBytes | undefined {
  const parts = partsIn(given);
  if (typeof parts === 'string') return undefined;
  const { publicKey, clientData, authenticator, signature } = parts;
  return { ...publicKey, bytes: joined(authenticator, sha256(clientData)), signature };
}

const QUESTION: OptionType = [
  'a question: {digest, definition, answer}',
  (value) =>
    isObject(value) &&
    isHash(value['digest']) &&
    isHash(value['definition']) &&
    (value['answer'] === 'once' || isObject(value['answer'])),
];

const APPROVE = { step: 'approve' } as const;
const HASH_BYTES = 32;
/** RP hash, flags and counter: the whole of what a passkey signs where it sends no extensions. */
const AUTHENTICATOR_BYTES = 37;
/** Bits of the flags: a person is present, and was verified. */
const IS_VERIFIED = 0b101;
const HAS_KEY = 0b0100_0000;
const HAS_EXTENSIONS = 0b1000_0000;
const CLIENT_DATA_BYTES = 4_096;
const PART_CHARACTERS = 8_192;

interface Parts {
  readonly cose: Uint8Array;
  readonly publicKey: PublicKey;
  readonly client: ClientData;
  readonly clientData: Uint8Array;
  readonly authenticator: Uint8Array;
  readonly signature: Uint8Array;
}

/** The parts of an assertion, or the reason why it is none. */
function partsIn(given: unknown): Parts | string {
  if (!isObject(given)) return 'it is not an object';
  const cose = bytesAt(given, 'key');
  const publicKey = cose && publicKeyOf(cose);
  if (cose === undefined || publicKey === undefined) return 'key is no key of ES256, EdDSA or RS256 in its COSE form';
  const clientData = bytesAt(given, 'client_data');
  const client = clientData && clientDataIn(clientData);
  if (clientData === undefined || client === undefined) return 'client_data is not the client data of an assertion';
  const authenticator = bytesAt(given, 'authenticator_data');
  if (authenticator === undefined || !isAuthenticatorData(authenticator))
    return 'authenticator_data is not the data of an assertion';
  const written = bytesAt(given, 'signature');
  const signature = written && (publicKey.algorithm === 'ES256' ? rawOfDer(written) : written);
  if (signature === undefined) return 'signature is no signature of the key';
  return { cose, publicKey, client, clientData, authenticator, signature };
}

function isAuthenticatorData(bytes: Uint8Array): boolean {
  const flags = bytes[HASH_BYTES] ?? HAS_KEY;
  if ((flags & HAS_KEY) !== 0) return false;
  return (flags & HAS_EXTENSIONS) === 0 ? bytes.length === AUTHENTICATOR_BYTES : bytes.length > AUTHENTICATOR_BYTES;
}

interface ClientData {
  readonly challenge: string;
  readonly origin: string;
  readonly isFramed: boolean;
}

/** Client data of an assertion; undefined for other bytes. Its JSON is a stranger's: what it says twice is refused. */
function clientDataIn(bytes: Uint8Array): ClientData | undefined {
  const decoded = decode(bytes, { bytes: CLIENT_DATA_BYTES });
  if (!decoded.ok || !isObject(decoded.value)) return undefined;
  const of = (name: string) => member(decoded.value as JsonObject, name);
  const [type, challenge, origin, crossOrigin = false] = ['type', 'challenge', 'origin', 'crossOrigin'].map(of);
  if (type !== 'webauthn.get' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
  return { challenge, origin, isFramed: crossOrigin !== false || of('topOrigin') !== undefined };
}

/** Undefined also for a text that base64url would not write. */
function bytesAt(given: JsonObject, name: string): Uint8Array | undefined {
  const text = member(given, name);
  if (typeof text !== 'string' || text.length > PART_CHARACTERS || /[+/=]/.test(text)) return undefined;
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}

/** RFC 4648 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * The public key of a passkey in its COSE form (RFC 9053), as CTAP2 writes it: one spelling for each key. Undefined for
 * other bytes, and for keys of other algorithms.
 */
export function publicKeyOf(cose: Uint8Array): PublicKey | undefined {
  for (const { algorithm, before, members } of KEYS) {
    const values = valuesIn(cose, before);
    if (values !== undefined && values.end === cose.length) return { algorithm, jwk: members(values.found) };
  }
  return undefined;
}

/** Pieces of a key's COSE form: bytes that stand there, and the length of a value behind them. */
interface KeyForm {
  readonly algorithm: PublicKey['algorithm'];
  readonly before: readonly { readonly bytes: readonly number[]; readonly length: number }[];
  readonly members: (values: readonly Uint8Array[]) => PublicKey['jwk'];
}

/** Maps of CBOR in the canonical order of CTAP2. */
const KEYS: readonly KeyForm[] = /* @__PURE__ */ (() => [
  {
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    algorithm: 'ES256',
    before: [
      { bytes: [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20], length: 32 },
      { bytes: [0x22, 0x58, 0x20], length: 32 },
    ],
    members: ([x, y]) => ({ kty: 'EC', crv: 'P-256', x: text(x), y: text(y) }),
  },
  {
    // {1: 1, 3: -8, -1: 6, -2: x}
    algorithm: 'EdDSA',
    before: [{ bytes: [0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20], length: 32 }],
    members: ([x]) => ({ kty: 'OKP', crv: 'Ed25519', x: text(x) }),
  },
  // {1: 3, 3: -257, -1: n, -2: 65537}
  ...[256, 384, 512].map((length): KeyForm => {
    const size = [0x59, length >> 8, length & 0xff];
    return {
      algorithm: 'RS256',
      before: [
        { bytes: [0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, ...size], length },
        { bytes: [0x21, 0x43, 0x01, 0x00, 0x01], length: 0 },
      ],
      members: ([n]) => ({ kty: 'RSA', n: text(n), e: 'AQAB' }),
    };
  }),
])();

function text(bytes: Uint8Array = new Uint8Array()): string {
  return base64url(bytes);
}

function valuesIn(bytes: Uint8Array, before: KeyForm['before']) {
  const found: Uint8Array[] = [];
  let end = 0;
  for (const piece of before) {
    if (!piece.bytes.every((byte, at) => bytes[end + at] === byte)) return undefined;
    end += piece.bytes.length;
    if (end + piece.length > bytes.length) return undefined;
    found.push(bytes.subarray(end, end + piece.length));
    end += piece.length;
  }
  return { found, end };
}

/**
 * The COSE form of the key in the authenticator data of a new passkey; undefined for other data. Where the data goes on
 * behind the key, with extensions, they are left out.
 */
export function newKeyIn(authenticatorData: Uint8Array): Uint8Array | undefined {
  demand('authenticatorData', authenticatorData, BYTES);
  const data = authenticatorData;
  const flags = data[HASH_BYTES] ?? 0;
  if ((flags & HAS_KEY) === 0 || data.length < AUTHENTICATOR_BYTES + 18) return undefined;
  const start = AUTHENTICATOR_BYTES + 18 + (((data[53] as number) << 8) | (data[54] as number));
  for (const { before } of KEYS) {
    const values = valuesIn(data.subarray(start), before);
    if (values !== undefined) return data.slice(start, start + values.end);
  }
  return undefined;
}

/** Both numbers of an ECDSA signature, 32 bytes each; undefined for bytes that are not its DER form (RFC 3279 2.2.3). */
function rawOfDer(der: Uint8Array): Uint8Array | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const first = numberAt(der, 2);
  const second = first && numberAt(der, first.end);
  return second?.end === der.length ? joined(first?.bytes as Uint8Array, second.bytes) : undefined;
}

/** A positive number in its shortest form, of at most 32 bytes. */
function numberAt(der: Uint8Array, at: number) {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  const bytes = der.subarray(at + 2, end);
  const [head = 0x80, next = 0] = bytes;
  const isShortest = head !== 0 || length === 1 || next >= 0x80;
  if (der[at] !== 0x02 || end > der.length || head >= 0x80 || !isShortest) return undefined;
  const digits = head === 0 ? bytes.subarray(1) : bytes;
  if (digits.length > HASH_BYTES) return undefined;
  const padded = new Uint8Array(HASH_BYTES);
  padded.set(digits, HASH_BYTES - digits.length);
  return { bytes: padded, end };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
