import { isHash } from '../hash.ts';
import { isText, optional, shaped, type Test } from '../ledger/form.ts';

/** A person whose signed yes counts: a name, and a passkey of theirs on a page of this origin. */
export interface YesSigner {
  /** The same name for several passkeys of a person: names are counted, and not passkeys. */
  readonly name: string;
  /** SHA-256 of the passkey's public key in its COSE form, 64 lower-case hex digits. */
  readonly key: string;
  /** Origin of the page on which the passkey was made, with its port: `https://notes.example`, `http://localhost:4180`. */
  readonly origin: string;
  /** RP ID of the passkey; absent: the host of the origin. */
  readonly rp?: string;
}

/** True for a signer as policies and records hold it. */
export const isSigner: Test = /* @__PURE__ */ shaped({
  name: (value) => typeof value === 'string' && value !== '',
  key: isHash,
  origin: isOrigin,
  rp: optional(isText),
});

export function isSameSigner(one: YesSigner, other: YesSigner): boolean {
  return one.name === other.name && one.key === other.key && one.origin === other.origin && one.rp === other.rp;
}

/**
 * The origin of a page that can have passkeys, in the spelling of browsers: https, or a host of this device. The last
 * label of its host is no number: an IP address has no passkeys.
 */
const ORIGIN =
  /^(?:https:\/\/(?<host>(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?)|http:\/\/(?<local>(?:[a-z\d-]+\.)*localhost))(?::[1-9]\d{0,4})?$/;

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && ORIGIN.test(value) && !/^https:.*:443$|^http:.*:80$/.test(value);
}

/** The host of a signer's origin. */
export function hostOf(origin: string): string {
  const { host, local = '' } = ORIGIN.exec(origin)?.groups ?? {};
  return host ?? local;
}
