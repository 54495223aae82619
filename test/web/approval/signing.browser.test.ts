import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { base64url } from '../../../core/approval/assertion.ts';
import { sha256Hex } from '../../../core/index.ts';
import { QuestionCard, registerCard } from '../../../web/element/question.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../workers/api.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class SignedQuestion extends QuestionCard {}
customElements.define('signed-question', SignedQuestion);

const COSE = new Uint8Array([1, 2, 3]);
const ADA = { name: 'Ada', key: sha256Hex(COSE), origin: location.origin };
const REQUEST: ApprovalRequest = {
  run_id: 'r',
  step_id: 's',
  capability: 'mail.send',
  capability_hash: 'c'.repeat(64),
  effect: 'egress',
  args: '{"to":"baker"}',
  digest: 'd'.repeat(64),
  reason: 'The grant says to ask.',
  signed: { by: [ADA, { ...ADA, name: 'Bob', key: 'b'.repeat(64) }], of: 2, parts: [] },
};

// The page of the tests is drawn smaller where it does not fit, and browsers that report covers call it distorted.
beforeAll(() => page.viewport(414, 700));
afterAll(() => page.viewport(414, 896));

const get = Object.getOwnPropertyDescriptor(CredentialsContainer.prototype, 'get') as PropertyDescriptor;
afterEach(() => {
  document.body.replaceChildren();
  localStorage.removeItem('sallyport.passkeys');
  Object.defineProperty(CredentialsContainer.prototype, 'get', get);
});

/** The device answers a request with this. */
function device(answer: (options: CredentialRequestOptions) => Promise<unknown>): void {
  Object.defineProperty(CredentialsContainer.prototype, 'get', { ...get, value: answer });
}

const SIGNED = {
  id: 'Y3JlZA',
  response: { clientDataJSON: COSE.buffer, authenticatorData: COSE.buffer, signature: COSE.buffer },
};

/** The card of a page that keeps the passkey of Ada, and what it was answered. */
async function asked(request = REQUEST, isKept = true) {
  const kept = [{ ...ADA, credential: SIGNED.id, publicKey: base64url(COSE) }];
  if (isKept) localStorage.setItem('sallyport.passkeys', JSON.stringify(kept));
  const { whenDecided } = registerCard();
  const card = document.createElement('signed-question') as SignedQuestion;
  const answers: ApprovalAnswer[] = [];
  whenDecided(card, (_digest, answer) => void answers.push(answer));
  Object.assign(card, { question: { kind: 'approval', request } });
  document.body.append(card);
  await card.updateComplete;
  return { card, answers };
}

const button = (name: string) => page.getByRole('button', { name });
/** Presses as often as a person: a press on a card that has just moved, as a line came into it, does not count. */
const press = async (name: string, isTaken: () => boolean): Promise<void> => {
  await expect
    .poll(async () => {
      if (!isTaken() && button(name).element().ariaDisabled === 'false') await userEvent.click(button(name));
      return isTaken();
    })
    .toBe(true);
};
const status = () => page.getByRole('status').element().textContent;

test('a request that a person cancels is told, and the card takes the next press', async () => {
  const { answers } = await asked();
  expect(button('Approve once').query()).toBeNull();
  let requests = 0;
  device(async () => {
    requests++;
    throw new DOMException('', 'NotAllowedError');
  });
  await press('Sign with a passkey', () => requests === 1);
  await expect.poll(status).toContain('The question is still open.');
  expect(answers).toEqual([]);
  device(async () => SIGNED);
  await press('Sign with a passkey', () => answers.length > 0);
  const text = base64url(COSE);
  const signed = { key: text, client_data: text, authenticator_data: text, signature: text };
  expect(answers).toEqual([{ approved: true, signed, via: 'gesture' }]);
});

test('a no ends the request for a passkey', async () => {
  const { answers } = await asked();
  let request: AbortSignal | undefined;
  device(({ signal }) => {
    request = signal;
    return new Promise(() => undefined);
  });
  await press('Sign with a passkey', () => request !== undefined);
  await expect.poll(status).toContain('Your device asks');
  expect(button('Sign with a passkey').element().ariaDisabled).toBe('true');
  await press('Deny', () => answers.length > 0);
  expect(request?.aborted).toBe(true);
  expect(answers).toEqual([{ approved: false, reason: '', via: 'gesture' }]);
});

test('a page that lost the passkey, and one whose persons have signed, say so in place of the button', async () => {
  await asked(REQUEST, false);
  await expect.poll(status).toContain('This browser does not keep the passkeys of Ada, Bob.');
  expect(button('Sign with a passkey').query()).toBeNull();
  document.body.replaceChildren();
  const parts = [{ name: 'Ada', answer: 'once' as const }];
  await asked({ ...REQUEST, signed: { by: [ADA], of: 1, parts } });
  await expect.poll(status).toContain('Ada signed already.');
  expect(page.getByText('1 of 1 signed, by Ada.').query()).not.toBeNull();
});
