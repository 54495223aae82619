import { encodeText } from '../../../core/json/utf8.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type OptionType, type OptionTypes, optionsOf } from '../../../core/option.ts';
import type { WaitingQuestion } from '../../api.ts';
import { isLoopback } from '../models/endpoint.ts';

/** Where messages about open questions go, by Standard Webhooks (https://www.standardwebhooks.com). */
export interface NotifyOptions {
  /** Address that takes the messages: https, or http on this machine. It may hold a key, and no record has it. */
  readonly url: string;
  /** `whsec_` and 24 to 64 random bytes in base64. Each message is signed with them (HMAC-SHA-256). */
  readonly secret: string;
  /** Origin of the page on which a person answers, for example `https://agents.example`. Each message has it. */
  readonly page?: string;
}

const SECRET = /^whsec_(?=(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$)[A-Za-z0-9+/]{32,86}={0,2}$/;

/** True for an address to which a message may be sent. */
export function isNotifyUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (`${username}${password}` !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function isNotifySecret(value: unknown): boolean {
  return typeof value === 'string' && SECRET.test(value);
}

const PAGE: OptionType = [
  'the origin of a page, such as https://agents.example',
  (value) => typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value,
];
const NOTIFY: OptionTypes = {
  url: ['an address of https, or of http on this machine, without a password', isNotifyUrl],
  secret: ['whsec_ and 24 to 64 bytes in base64', isNotifySecret],
  page: PAGE,
};

/** Checks the options: `option_invalid`. The message does not repeat them. */
export function notifyOptions(given: NotifyOptions): NotifyOptions {
  return optionsOf(given, NOTIFY, ['url', 'secret']);
}

/** The record of a message's end. */
export type NotifiedBody = Extract<LogBody, { event: 'notified' }>;

/** Times of a notifier, in ms. */
export interface NotifyTimes {
  /** Wait before each try: a question that was answered by then is told no more. */
  readonly waits: readonly number[];
  /** Time that the address has for each answer. */
  readonly limit: number;
}

/** Three tries within ten minutes. Rules and quick approvers answer within the first wait. */
const TIMES: NotifyTimes = { waits: [2_000, 60_000, 480_000], limit: 10_000 };

/** Messages under way at a time. Questions beyond them wait for their turn. */
const OPEN_MAX = 32;

/** Parts of a runtime that a notifier needs. */
interface NotifyParts {
  readonly questions: AsyncIterable<readonly WaitingQuestion[]>;
  /** Records the end of a message in the log. */
  readonly record: (body: NotifiedBody) => Promise<unknown>;
}

/**
 * Sends a message about each question that waits for a person, until the list ends. A redirect, an answer other than 2xx and
 * a late answer are failed tries; no body is read. The id of a message follows from its question, so that a receiver knows the
 * message of a runtime that asks the question again. The outcome is recorded and changes no question. Messages that the end of
 * the list cuts off have no record.
 */
export async function notifyQuestions(
  { questions, record }: NotifyParts,
  options: NotifyOptions,
  times: NotifyTimes = TIMES,
): Promise<void> {
  /** The questions that were taken and are open, by digest. */
  const taken = new Map<string, AbortController>();
  const close = new AbortController();
  let newest: readonly WaitingQuestion[] = [];
  let under = 0;
  const take = (): void => {
    for (const question of newest) {
      if (under >= OPEN_MAX) return;
      if (taken.has(question.digest)) continue;
      const answered = new AbortController();
      taken.set(question.digest, answered);
      under++;
      const signals = { answered: answered.signal, closed: close.signal };
      void tell(question, options, times, signals)
        .then((body) => body && record(body))
        .catch(() => undefined)
        .finally(() => {
          under--;
          take();
        });
    }
  };
  for await (const open of questions) {
    newest = open;
    const digests = new Set(open.map(({ digest }) => digest));
    for (const [digest, answered] of taken) {
      if (digests.has(digest)) continue;
      answered.abort();
      taken.delete(digest);
    }
    take();
  }
  newest = [];
  close.abort();
}

interface TellSignals {
  readonly answered: AbortSignal;
  readonly closed: AbortSignal;
}

/** Sends the message of a question. Undefined where no try was made, and where the runtime has closed. */
async function tell(
  question: WaitingQuestion,
  options: NotifyOptions,
  { waits, limit }: NotifyTimes,
  { answered, closed }: TellSignals,
): Promise<NotifiedBody | undefined> {
  const ended = AbortSignal.any([answered, closed]);
  const message = encodeText(messageOf(question, options.page));
  const { run_id: run, digest } = question;
  let tries = 0;
  let status: number | undefined;
  const end = (outcome: NotifiedBody['outcome']): NotifiedBody | undefined => {
    if (closed.aborted || tries === 0) return undefined;
    const to = new URL(options.url).origin;
    return { event: 'notified', run, digest, to, tries, outcome, ...(status !== undefined && { status }) };
  };
  for (const wait of waits) {
    await rest(wait, ended);
    if (ended.aborted) return end('answered');
    tries++;
    // the answer to the question ends no try under way: whether it was delivered is known then
    status = await attempt(message, `msg_${digest}`, options, AbortSignal.any([closed, AbortSignal.timeout(limit)]));
    if (status !== undefined && status >= 200 && status < 300) return end('delivered');
  }
  return end('failed');
}

/** The status of the answer; undefined for none. */
async function attempt(
  message: Uint8Array,
  id: string,
  { url, secret }: NotifyOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${await signature(secret, encodeText(`${id}.${timestamp}.`), message)}`,
  };
  try {
    const body = new Uint8Array(message);
    const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal });
    void response.body?.cancel().catch(() => undefined);
    return response.status;
  } catch {
    return undefined;
  }
}

/**
 * No argument, label, path or token. About a held question nothing but that it waits: what is asked follows from values that
 * persons alone may see.
 */
function messageOf({ digest, since, pending, consent }: WaitingQuestion, page: string | undefined): string {
  const isOpen = pending?.held !== true;
  const reason = pending?.reason_code ?? (consent && 'consent');
  return JSON.stringify({
    type: 'question.asked',
    timestamp: new Date(since).toISOString(),
    data: {
      digest,
      ...(isOpen && pending && { tool: pending.capability }),
      ...(isOpen && reason !== undefined && { reason }),
      ...(page !== undefined && { page }),
    },
  });
}

async function signature(secret: string, ...parts: readonly Uint8Array[]): Promise<string> {
  const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (byte) => byte.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, new Uint8Array(parts.flatMap((part) => [...part])));
  return btoa(String.fromCharCode(...new Uint8Array(signed)));
}

/** Waits, and keeps no process alive by it. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    (timer as { unref?: () => void }).unref?.();
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
