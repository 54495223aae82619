import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Assertion,
  base64url,
  challengeOf,
  checkAssertion,
  newKeyIn,
  publicKeyOf,
  type SignedQuestion,
} from '../../../core/approval/assertion.ts';
import { isSigner, type YesSigner } from '../../../core/approval/signer.ts';
import { checkSignature } from '../../../workers/auditor/assertion.ts';
import { decoded, hex, makePasskey, ORIGIN, type Passkey, type Said } from '../../authenticator.ts';

const H = 'ab'.repeat(32);
const QUESTION: SignedQuestion = { digest: H, definition: 'cd'.repeat(32), answer: 'once' };
const signerOf = ({ key }: Passkey, more: Partial<YesSigner> = {}): YesSigner => ({
  name: 'Ada',
  key,
  origin: ORIGIN,
  ...more,
});
const ada = await makePasskey();

const check = async (assertion: unknown, signers: readonly YesSigner[] = [signerOf(ada)], question = QUESTION) => {
  const checked = checkAssertion(assertion, question, signers);
  if (!checked.ok) return checked.refusal.code;
  return (await checkSignature(assertion)) === 'right' ? 'signed' : 'assertion_signature';
};

describe('a signed yes', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('counts with a key of %s', async (algorithm) => {
    const passkey = await makePasskey(algorithm);
    for (let again = 0; again < 8; again++)
      expect(await check(await passkey.sign(QUESTION), [signerOf(passkey)])).toBe('signed');
  });

  it('counts with extensions, and tells the name and the counter', async () => {
    const assertion = await ada.sign(QUESTION, { flags: 0b1000_0101, extensions: hex('a0'), counter: 70_000 });
    expect(await check(assertion)).toBe('signed');
    expect(checkAssertion(assertion, QUESTION, [signerOf(ada)])).toMatchObject({
      value: { counter: 70_000, signer: { name: 'Ada' } },
    });
  });

  it('counts for one of several origins of a key', async () => {
    const both = [signerOf(ada, { origin: 'https://notes.example', rp: 'localhost' }), signerOf(ada)];
    expect(await check(await ada.sign(QUESTION), both)).toBe('signed');
  });

  it.each([
    ['another key', {}, 'assertion_key', { signers: [{ ...signerOf(ada), key: H }] }],
    ['another question', {}, 'assertion_challenge', { question: { ...QUESTION, digest: '00'.repeat(32) } }],
    ['another definition', {}, 'assertion_challenge', { question: { ...QUESTION, definition: H } }],
    ['a standing yes', {}, 'assertion_challenge', { question: { ...QUESTION, answer: { args: 'any' } } }],
    ['another port', { origin: 'http://localhost:4181' }, 'assertion_origin', {}],
    ['a page in the same domain', { origin: 'http://a.localhost:4180' }, 'assertion_origin', {}],
    ['a frame of another page', { more: ',"crossOrigin":true' }, 'assertion_form', {}],
    ['a page that names another on top', { more: ',"topOrigin":"https://evil.example"' }, 'assertion_framed', {}],
    ['another site', { rp: 'evil.example' }, 'assertion_rp', {}],
    ['no verification', { flags: 0b001 }, 'assertion_unverified', {}],
    ['nobody present', { flags: 0b100 }, 'assertion_unverified', {}],
    ['the making of a passkey', { type: 'webauthn.create' }, 'assertion_form', {}],
    ['authenticator data with a key', { flags: 0b0100_0101 }, 'assertion_form', {}],
    ['bytes behind the authenticator data', { extensions: hex('a0') }, 'assertion_form', {}],
    ['a challenge that is said twice', { more: ',"challenge":"x"' }, 'assertion_form', {}],
  ] satisfies [string, Partial<Said>, string, { signers?: YesSigner[]; question?: SignedQuestion }][])(
    'is refused with %s',
    async (_, said, code, { signers, question }: { signers?: YesSigner[]; question?: SignedQuestion }) => {
      expect(await check(await ada.sign(QUESTION, said), signers, question)).toBe(code);
    },
  );

  it('is refused in a frame, and with a signature of another key', async () => {
    const assertion = await ada.sign(QUESTION);
    const framed = base64url(
      new TextEncoder().encode(
        `{"type":"webauthn.get","challenge":"${base64url(challengeOf(QUESTION))}","origin":"${ORIGIN}","crossOrigin":true}`,
      ),
    );
    expect(await check({ ...assertion, client_data: framed })).toBe('assertion_framed');
    const { signature } = await (await makePasskey()).sign(QUESTION);
    expect(await check({ ...assertion, signature })).toBe('assertion_signature');
  });

  it('is refused after each single change of a byte', async () => {
    const assertion = await ada.sign(QUESTION);
    for (const name of ['key', 'client_data', 'authenticator_data', 'signature'] satisfies (keyof Assertion)[]) {
      const bytes = decoded(assertion[name]);
      for (let at = 0; at < bytes.length; at++) {
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] as number) ^ 1;
        const found = await check({ ...assertion, [name]: base64url(changed) });
        // the flags have bits that mean nothing here, and all of them are signed
        expect(found, `${name} ${at}`).toMatch(/^assertion_/);
      }
    }
  });

  it('never throws, for any value', () => {
    const part = fc.oneof(fc.string(), fc.base64String(), fc.jsonValue());
    const given = fc.record(
      { key: part, client_data: part, authenticator_data: part, signature: part },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(given, fc.anything()), (value) => {
        expect(checkAssertion(value, QUESTION, [signerOf(ada)])).toMatchObject({
          refusal: { code: 'assertion_form' },
        });
      }),
    );
  });
});

describe('a key in its COSE form', () => {
  it('has one spelling', () => {
    expect(publicKeyOf(ada.cose)?.algorithm).toBe('ES256');
    expect(publicKeyOf(Uint8Array.from([...ada.cose, 0]))).toBeUndefined();
    expect(publicKeyOf(ada.cose.subarray(1))).toBeUndefined();
  });

  it('is found in the data of a new passkey, also before extensions', () => {
    const credential = new Uint8Array(20).fill(9);
    const data = (behind: string) =>
      Uint8Array.from([
        ...new Uint8Array(32),
        0b0100_0101,
        ...new Uint8Array(4 + 16),
        0,
        credential.length,
        ...credential,
        ...ada.cose,
        ...hex(behind),
      ]);
    expect(newKeyIn(data(''))).toEqual(ada.cose);
    expect(newKeyIn(data('a16b6372656450726f7465637402'))).toEqual(ada.cose);
    expect(newKeyIn(data('').subarray(0, 60))).toBeUndefined();
    expect(newKeyIn(new Uint8Array())).toBeUndefined();
  });
});

describe('a signer', () => {
  it.each(['https://notes.example', 'https://notes.example:8443', 'http://localhost', 'http://localhost:4180'])(
    'has the origin %s',
    (origin) => expect(isSigner(signerOf(ada, { origin }))).toBe(true),
  );

  it.each([
    'http://notes.example',
    'http://127.0.0.1:4180',
    'https://127.0.0.1',
    'https://[::1]',
    'https://notes.example/',
    'https://notes.example:443',
    'https://Notes.example',
    'https://ada@notes.example',
    'null',
    '',
  ])('has not the origin %s', (origin) => expect(isSigner(signerOf(ada, { origin }))).toBe(false));
});
