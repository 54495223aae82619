import { describe, expect, test } from 'vitest';
import type { SignedAnswer } from '../../../core/approval/assertion.ts';
import { checkAssertion } from '../../../core/approval/assertion.ts';
import { sha256 } from '../../../core/hash.ts';
import type { WantedSignatures } from '../../../core/index.ts';
import {
  forgetPasskey,
  type KeptPasskey,
  keptPasskeys,
  makePasskey,
  PasskeyError,
  type PasskeyPage,
  passkeyObstacle,
  signWithPasskey,
} from '../../../web/shared/passkey.ts';
import { checkSignature } from '../../../workers/auditor/assertion.ts';
import { decoded, makePasskey as makeSoftwareKey, ORIGIN, type Passkey } from '../../authenticator.ts';

interface Device {
  /** Error of the browser, in place of what was asked for. */
  fails?: string;
  algorithm?: Passkey['algorithm'];
  readonly asked: (CredentialCreationOptions | CredentialRequestOptions)[];
}

interface FakePage extends PasskeyPage {
  readonly device: Device;
}

/** A page with a device that holds passkeys of software: the bytes are real. */
function pageAt(origin = ORIGIN, more: Partial<PasskeyPage> = {}): FakePage {
  const device: Device = { asked: [] };
  const keys = new Map<string, Passkey>();
  const stored = new Map<string, string>();
  const fail = (): void => {
    if (device.fails !== undefined) throw new DOMException('told by the browser', device.fails);
  };
  const credentials = {
    create: async (options: CredentialCreationOptions) => {
      device.asked.push(options);
      fail();
      const key = await makeSoftwareKey(device.algorithm, origin);
      const id = `key${keys.size}`.padEnd(8, '0');
      keys.set(id, key);
      const head = [...sha256(new TextEncoder().encode(new URL(origin).hostname)), 0b0100_0101, 0, 0, 0, 0];
      const data = Uint8Array.from([...head, ...new Uint8Array(16), 0, 6, ...decoded(id), ...key.cose]);
      return { id, response: { getAuthenticatorData: () => data.buffer } };
    },
    get: async ({ publicKey, ...rest }: CredentialRequestOptions) => {
      device.asked.push({ ...(publicKey && { publicKey }), ...rest });
      fail();
      const [first] = publicKey?.allowCredentials ?? [];
      const id = Buffer.from(first?.id as Uint8Array).toString('base64url');
      const challenge = Buffer.from(publicKey?.challenge as Uint8Array).toString('base64url');
      const said = await keys
        .get(id)
        ?.sign({ digest: '0'.repeat(64), definition: '0'.repeat(64), answer: 'once' }, { challenge });
      const of = (text = '') => decoded(text).buffer;
      const response = {
        clientDataJSON: of(said?.client_data),
        authenticatorData: of(said?.authenticator_data),
        signature: of(said?.signature),
      };
      return { id, response };
    },
  };
  const page = {
    origin,
    isSecureContext: true,
    PublicKeyCredential: class {},
    document: {},
    navigator: { credentials },
    localStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => void stored.set(name, text),
    },
    device,
    ...more,
  };
  return Object.assign(page, { parent: page }) as unknown as FakePage;
}

const QUESTION = { digest: 'a'.repeat(64), capability_hash: 'b'.repeat(64) };

const wanted = (by: readonly KeptPasskey[], more: Partial<WantedSignatures> = {}): WantedSignatures => ({
  by: by.map(({ name, key, origin }) => ({ name, key, origin })),
  of: 1,
  parts: [],
  ...more,
});

const sign = (page: PasskeyPage, signed: WantedSignatures, answer: SignedAnswer = 'once', signal?: AbortSignal) =>
  signWithPasskey({ ...QUESTION, signed }, answer, { page, ...(signal && { signal }) });

async function troubleOf(said: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await said.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof PasskeyError ? error.trouble : (error as undefined);
}

describe('a passkey that a page makes', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)('of %s signs answers that count', async (algorithm) => {
    const page = pageAt();
    page.device.algorithm = algorithm;
    const ada = await makePasskey({ name: 'Ada' }, { page });
    expect(keptPasskeys(page)).toEqual([ada]);
    const signed = wanted([ada]);
    for (const answer of ['once', { args: 'any', uses: 3 }] as const) {
      const assertion = await sign(page, signed, answer);
      const question = { digest: QUESTION.digest, definition: QUESTION.capability_hash, answer };
      expect(checkAssertion(assertion, question, signed.by)).toMatchObject({ ok: true });
      expect(await checkSignature(assertion)).toBe('right');
    }
  });

  test('is asked for with verification of the person, and without attestation', async () => {
    const page = pageAt();
    const ada = await makePasskey({ name: 'Ada' }, { page });
    await makePasskey({ name: 'Ada' }, { page });
    await sign(page, wanted([ada]));
    const [again, signing] = page.device.asked.slice(1);
    expect(again?.publicKey).toMatchObject({
      attestation: 'none',
      authenticatorSelection: { userVerification: 'required' },
      excludeCredentials: [{ id: decoded(ada.credential) }],
    });
    expect(signing?.publicKey).toMatchObject({
      userVerification: 'required',
      allowCredentials: [{ id: decoded(ada.credential) }],
    });
  });

  test('is forgotten, and then lost to the page', async () => {
    const page = pageAt();
    const [ada, bob] = [await makePasskey({ name: 'Ada' }, { page }), await makePasskey({ name: 'Bob' }, { page })];
    forgetPasskey(ada.key, page);
    expect(keptPasskeys(page)).toEqual([bob]);
    expect(await troubleOf(sign(page, wanted([ada])))).toBe('lost');
    expect(await troubleOf(sign(page, wanted([ada, bob])))).toBeUndefined();
  });

  test('is not made where the page could not keep it, or for nobody', async () => {
    const refuses = pageAt(ORIGIN, { localStorage: undefined as unknown as Storage });
    expect(await troubleOf(makePasskey({ name: 'Ada' }, { page: refuses }))).toBe('storage');
    expect(await troubleOf(makePasskey({ name: ' ' }, { page: pageAt() }))).toBe('nameless');
    expect(refuses.device.asked).toEqual([]);
  });

  test('is read from storage that somebody else has written only if its hash is right', async () => {
    const page = pageAt();
    const ada = await makePasskey({ name: 'Ada' }, { page });
    const bob = await makePasskey({ name: 'Bob' }, { page });
    const lies = [{ ...ada, publicKey: bob.publicKey }, { ...ada, credential: '?' }, { ...ada, origin: 1 }, null, 'x'];
    page.localStorage.setItem('sallyport.passkeys', JSON.stringify([...lies, ada]));
    expect(keptPasskeys(page)).toEqual([ada]);
    page.localStorage.setItem('sallyport.passkeys', '{');
    expect(keptPasskeys(page)).toEqual([]);
  });
});

describe('a signature', () => {
  test('is asked of those who have not signed this answer', async () => {
    const page = pageAt();
    const [ada, bob] = [await makePasskey({ name: 'Ada' }, { page }), await makePasskey({ name: 'Bob' }, { page })];
    const parts = [{ name: 'Ada', answer: 'once' as const }];
    expect((await sign(page, wanted([ada, bob], { of: 2, parts }))).key).toBe(bob.publicKey);
    expect((await sign(page, wanted([ada, bob], { of: 2, parts }), { args: 'any' })).key).toBe(ada.publicKey);
    expect(await troubleOf(sign(page, wanted([ada], { parts })))).toBe('all_signed');
  });

  test('is made on the page of the passkey alone', async () => {
    const page = pageAt();
    const ada = await makePasskey({ name: 'Ada' }, { page });
    const other = pageAt('http://localhost:4181');
    const said = sign(other, wanted([ada]));
    expect(await troubleOf(said)).toBe('elsewhere');
    await expect(said).rejects.toThrow(ORIGIN);
  });
});

describe('an error of the browser', () => {
  test.each([
    ['NotAllowedError', 'not_made', 'not_signed'],
    ['NotSupportedError', 'unsuitable', 'unsuitable'],
    ['ConstraintError', 'unsuitable', 'unsuitable'],
    ['InvalidStateError', 'repeated', 'failed'],
    ['SecurityError', 'site', 'site'],
    ['OperationError', 'busy', 'busy'],
    ['UnknownError', 'failed', 'failed'],
  ])('%s is told as a trouble, and nothing is lost', async (error, making, signing) => {
    const page = pageAt();
    const ada = await makePasskey({ name: 'Ada' }, { page });
    page.device.fails = error;
    expect(await troubleOf(makePasskey({ name: 'Ada' }, { page }))).toBe(making);
    expect(await troubleOf(sign(page, wanted([ada])))).toBe(signing);
    expect(keptPasskeys(page)).toEqual([ada]);
  });

  test('is none where the card has ended the request', async () => {
    const page = pageAt();
    const ada = await makePasskey({ name: 'Ada' }, { page });
    page.device.fails = 'AbortError';
    const gone = new Error('gone');
    await expect(sign(page, wanted([ada]), 'once', AbortSignal.abort(gone))).rejects.toBe(gone);
  });
});

describe('a page without passkeys', () => {
  const foreign = {
    get document(): object {
      throw new DOMException('', 'SecurityError');
    },
  };
  test.each([
    ['ip_address', pageAt('http://127.0.0.1:4180')],
    ['ip_address', pageAt('https://[::1]')],
    ['insecure', pageAt('http://notes.example', { isSecureContext: false })],
    ['unsupported', pageAt(ORIGIN, { navigator: {} })],
    ['unsupported', pageAt('null')],
    ['forbidden', pageAt(ORIGIN, { document: { featurePolicy: { allowsFeature: () => false } } })],
    ['framed', Object.assign(pageAt(), { parent: foreign })],
    [undefined, pageAt()],
    [undefined, pageAt('https://notes.example')],
  ])('tells %s', (obstacle, page) => {
    expect(passkeyObstacle(page)).toBe(obstacle);
  });
});
