import { type Assertion, base64url, challengeOf, newKeyIn, type SignedAnswer } from '../../core/approval/assertion.ts';
import { hostOf, isSigner, type YesSigner } from '../../core/approval/signer.ts';
import { canonicalText, SallyportError, sha256Hex, type WantedSignatures } from '../../core/index.ts';
import { type PasskeyTrouble, passkeys } from '../texts/en/passkeys.ts';
import { isForeignFrame } from './foreign-frame.ts';

/**
 * A passkey that was made on this page, as the page keeps it: a signature brings no public key. It gives no power by
 * itself; a grant names its signers.
 */
export interface KeptPasskey extends YesSigner {
  /** Credential ID, base64url without padding. */
  readonly credential: string;
  /** The public key in its COSE form, base64url without padding; `key` is its hash. */
  readonly publicKey: string;
}

/** The parts of a window that passkeys need. */
export interface PasskeyPage extends Pick<Window, 'isSecureContext' | 'localStorage' | 'origin' | 'parent'> {
  readonly document: object;
  readonly navigator: { readonly credentials?: Pick<CredentialsContainer, 'create' | 'get'> };
}

export interface PasskeyOptions {
  /** Ends the browser's request: the promise rejects with its reason. */
  readonly signal?: AbortSignal;
  /** The window that asks, such as that of a card; absent: this one. */
  readonly page?: PasskeyPage;
}

/** `passkey_failed`: nothing was signed, or no passkey was made. A question stays open. */
export class PasskeyError extends SallyportError {
  readonly trouble: PasskeyTrouble;
  readonly #about: string;

  constructor(trouble: PasskeyTrouble, about = '') {
    super('passkey_failed', sentence(passkeys.english.troubles[trouble], about), { trouble });
    this.trouble = trouble;
    this.#about = about;
  }

  /** The sentence in the language of the interface. */
  get text(): string {
    return sentence(passkeys().troubles[this.trouble], this.#about);
  }
}

/** Why this page can neither make a passkey nor sign with one; undefined where it can. */
export function passkeyObstacle(page: PasskeyPage = window): PasskeyTrouble | undefined {
  const { origin, isSecureContext, navigator } = page;
  if (isAtAddress(origin)) return 'ip_address';
  if (!isSecureContext) return 'insecure';
  if (isForeignFrame(page as unknown as Window)) return 'framed';
  if (navigator.credentials === undefined || !('PublicKeyCredential' in page) || !canSign(origin)) return 'unsupported';
  return isForbidden(page) ? 'forbidden' : undefined;
}

/**
 * Makes a passkey on this page for the person of this name, and keeps its public key in the page's storage. The device
 * verifies the person; no attestation is asked for. `rp` is the RP ID; absent: the host of the page. Rejects with a
 * `PasskeyError`, and with the reason of `signal`.
 */
export async function makePasskey(
  { name: given, rp }: { readonly name: string; readonly rp?: string },
  { signal, page = window }: PasskeyOptions = {},
): Promise<KeptPasskey> {
  const name = String(given).trim();
  const { origin } = page;
  const obstacle = name === '' ? 'nameless' : (passkeyObstacle(page) ?? storageObstacle(page));
  if (obstacle !== undefined) throw new PasskeyError(obstacle);
  const own = keptPasskeys(page).filter((each) => each.name === name);
  const publicKey: PublicKeyCredentialCreationOptions = {
    rp: { name: rp ?? hostOf(origin), ...(rp !== undefined && { id: rp }) },
    user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
    // nothing is proved by making a passkey
    challenge: crypto.getRandomValues(new Uint8Array(32)),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: own.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    attestation: 'none',
  };
  const made = await asked(() => page.navigator.credentials?.create({ publicKey, ...(signal && { signal }) }), {
    missed: 'not_made',
    name,
    signal,
  });
  const { id, response } = made as PublicKeyCredential & { readonly response: AuthenticatorAttestationResponse };
  const cose = newKeyIn(new Uint8Array(response.getAuthenticatorData()));
  if (cose === undefined) throw new PasskeyError('unreadable');
  const signer = { name, key: sha256Hex(cose), origin, ...(rp !== undefined && { rp }) };
  const passkey: KeptPasskey = { ...signer, credential: id, publicKey: base64url(cose) };
  write(page, [...keptPasskeys(page), passkey]);
  return passkey;
}

/** The question of a card, as a passkey signs it. */
export interface PasskeyQuestion {
  readonly digest: string;
  /** Hash of the definition on the screen. */
  readonly capability_hash: string;
  /** Whose signatures the yes needs. */
  readonly signed: WantedSignatures;
}

/**
 * Asks for a passkey that the question names, to sign this answer. The device verifies the person. Rejects with a
 * `PasskeyError`, and with the reason of `signal`.
 */
export async function signWithPasskey(
  { digest, capability_hash: definition, signed }: PasskeyQuestion,
  answer: SignedAnswer,
  { signal, page = window }: PasskeyOptions = {},
): Promise<Assertion> {
  const able = signersOn(page, signed, answer);
  if (able instanceof PasskeyError) throw able;
  const [{ rp } = { rp: undefined }] = able;
  const allowed = able.filter((each) => each.rp === rp);
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: new Uint8Array(challengeOf({ digest, definition, answer })),
    allowCredentials: allowed.map(described),
    userVerification: 'required',
    ...(rp !== undefined && { rpId: rp }),
  };
  const given = await asked(() => page.navigator.credentials?.get({ publicKey, ...(signal && { signal }) }), {
    missed: 'not_signed',
    signal,
  });
  const { id, response } = given as PublicKeyCredential & { readonly response: AuthenticatorAssertionResponse };
  const passkey = allowed.find(({ credential }) => credential === id);
  if (passkey === undefined) throw new PasskeyError('lost', namesOf(signed.by));
  return {
    key: passkey.publicKey,
    client_data: base64url(new Uint8Array(response.clientDataJSON)),
    authenticator_data: base64url(new Uint8Array(response.authenticatorData)),
    signature: base64url(new Uint8Array(response.signature)),
  };
}

/** Why this page could not sign this answer now; undefined where it can ask for a passkey. */
export function signingObstacle(
  signed: WantedSignatures,
  answer: SignedAnswer,
  page: PasskeyPage = window,
): PasskeyError | undefined {
  const able = signersOn(page, signed, answer);
  return able instanceof PasskeyError ? able : undefined;
}

/** The passkey as a grant names it. */
export function signerOf({ name, key, origin, rp }: KeptPasskey): YesSigner {
  return { name, key, origin, ...(rp !== undefined && { rp }) };
}

/** The passkeys that this page keeps, in the order of their making. */
export function keptPasskeys(page: PasskeyPage = window): readonly KeptPasskey[] {
  try {
    const kept: unknown = JSON.parse(page.localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return [];
  }
}

/** Keeps this passkey no longer: this page cannot sign with it any more. The device still has it. */
export function forgetPasskey(key: string, page: PasskeyPage = window): void {
  write(
    page,
    keptPasskeys(page).filter((each) => each.key !== key),
  );
}

/** COSE numbers of ES256, EdDSA and RS256: the algorithms whose signatures are checked. */
const ALGORITHMS = [-7, -8, -257] as const;

const KEPT = 'sallyport.passkeys';

/** The kept passkeys that may sign this answer on this page, as the grant names their signers; never an empty list. */
function signersOn(
  page: PasskeyPage,
  { by, parts }: WantedSignatures,
  answer: SignedAnswer,
): readonly KeptPasskey[] | PasskeyError {
  const obstacle = passkeyObstacle(page);
  if (obstacle !== undefined) return new PasskeyError(obstacle);
  const here = by.filter(({ origin }) => origin === page.origin);
  if (here.length === 0) return new PasskeyError('elsewhere', listed(by.map(({ origin }) => origin)));
  const kept = keptPasskeys(page);
  const able = here.flatMap((signer) => {
    const passkey = kept.find(({ key }) => key === signer.key);
    if (passkey === undefined) return [];
    const { credential, publicKey } = passkey;
    return [{ ...signer, credential, publicKey }];
  });
  const text = canonicalText(answer);
  const done = new Set(parts.filter((part) => canonicalText(part.answer) === text).map(({ name }) => name));
  const left = able.filter(({ name }) => !done.has(name));
  if (left.length > 0) return left;
  const missing = here.filter(({ name }) => !done.has(name));
  return missing.length > 0
    ? new PasskeyError('lost', namesOf(missing))
    : new PasskeyError('all_signed', namesOf(here));
}

/**
 * What the browser gives, or the trouble that its error means. `missed` is that of a request which came to nothing;
 * `name` is the person that a passkey is made for.
 */
async function asked(
  ask: () => Promise<Credential | null> | undefined,
  { missed, name, signal }: { missed: PasskeyTrouble; name?: string; signal: AbortSignal | undefined },
): Promise<Credential> {
  try {
    const given = await ask();
    if (given) return given;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const { name: kind, message } = error as Error;
    if (kind === 'InvalidStateError' && name !== undefined) throw new PasskeyError('repeated', name);
    throw new PasskeyError(kind === 'NotAllowedError' ? missed : (TROUBLES[kind] ?? 'failed'), message);
  }
  throw new PasskeyError(missed);
}

/**
 * The troubles of errors by their names. `NotAllowedError` is a request that was cancelled, took too long, or found no
 * passkey: browsers do not tell which.
 *
 * @see Web Authentication Level 3, 5.1.3 and 5.1.4
 */
const TROUBLES: { readonly [name: string]: PasskeyTrouble | undefined } = {
  ConstraintError: 'unsuitable',
  NotSupportedError: 'unsuitable',
  OperationError: 'busy',
  SecurityError: 'site',
};

function described({ credential }: KeptPasskey): PublicKeyCredentialDescriptor {
  return { type: 'public-key', id: bytesOf(credential) };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
}

function isKept(value: unknown): value is KeptPasskey {
  const { credential, publicKey, ...signer } = Object(value) as Partial<KeptPasskey>;
  try {
    return (
      isSigner(signer) && bytesOf(credential ?? '').length > 0 && sha256Hex(bytesOf(publicKey ?? '')) === signer.key
    );
  } catch {
    return false;
  }
}

function write(page: PasskeyPage, kept: readonly KeptPasskey[]): void {
  page.localStorage.setItem(KEPT, JSON.stringify(kept));
}

/** A passkey whose public key is not kept could never sign. */
function storageObstacle(page: PasskeyPage): PasskeyTrouble | undefined {
  try {
    write(page, keptPasskeys(page));
    return undefined;
  } catch {
    return 'storage';
  }
}

function isAtAddress(origin: string): boolean {
  return /^https?:\/\/(?:[\d.]+|\[.*\])(?::\d+)?$/.test(origin);
}

/** A page without an origin of its own, such as a sandboxed frame, cannot be named in a grant. */
function canSign(origin: string): boolean {
  return isSigner({ name: 'anybody', key: '0'.repeat(64), origin });
}

interface FeatureDocument {
  readonly featurePolicy?: { allowsFeature(name: string): boolean };
}

/** True where the browser tells that a policy of the server, or of the frame, forbids passkeys. */
function isForbidden({ document }: PasskeyPage): boolean {
  const { featurePolicy } = document as FeatureDocument;
  return featurePolicy?.allowsFeature('publickey-credentials-get') === false;
}

function namesOf(signers: readonly YesSigner[]): string {
  return listed(signers.map(({ name }) => name));
}

function listed(texts: readonly string[]): string {
  return [...new Set(texts)].join(', ');
}

function sentence(text: string | ((about: string) => string), about: string): string {
  return typeof text === 'string' ? text : text(about);
}
