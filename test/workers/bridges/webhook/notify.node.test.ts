import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WaitingQuestion } from '../../../../workers/api.ts';
import { deferred } from '../../../../workers/async.ts';
import {
  type NotifiedBody,
  type NotifyOptions,
  notifyOptions,
  notifyQuestions,
} from '../../../../workers/bridges/webhook/notify.ts';
import { fromScript, openRuntime } from '../../../../workers/node.ts';

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;
const PAGE = 'https://agents.example';
const [DIGEST, OTHER] = ['a', 'b'].map((digit) => digit.repeat(64));
const TIMES = { waits: [0, 20, 20], limit: 200 };

interface Message {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly path: string | undefined;
}

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** An endpoint on this machine that keeps what it gets. */
async function endpoint(reply: (response: ServerResponse, count: number) => void) {
  const got: Message[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => reply(response, got.push({ headers: request.headers, body, path: request.url })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options: NotifyOptions = { url: `${origin}/push?key=hidden`, secret: SECRET, page: PAGE };
  return { got, origin, options };
}

/** Verifies a message as the specification of Standard Webhooks 1.0.0 says. */
function isGenuine({ headers, body }: Message): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest();
  return (signatures ?? '').split(' ').some((each) => {
    const [version, value = ''] = each.split(',', 2);
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** A list of questions that a test changes. */
function list() {
  let open: readonly WaitingQuestion[] = [];
  let changed = deferred<void>();
  let isOver = false;
  async function* questions() {
    for (;;) {
      const { promise } = changed;
      yield open;
      if (isOver) return;
      await promise;
    }
  }
  const set = (next: readonly WaitingQuestion[], over = false): void => {
    [open, isOver] = [next, over];
    changed.resolve();
    changed = deferred();
  };
  return { questions: questions(), set };
}

const question = (digest = DIGEST as string, more: object = {}): WaitingQuestion => ({
  run_id: 'r',
  digest,
  since: 1_790_000_000_000,
  pending: {
    run_id: 'r',
    step_id: 's',
    capability: 'mail.send',
    capability_hash: 'c',
    effect: 'egress',
    args: '{"text":"a secret","path":"/home/me"}',
    digest,
    reason: 'The grant asks.',
    reason_code: 'grant',
    origin: 'mcp:https://api.example',
    ...more,
  },
});

function notifying(options: NotifyOptions, times = TIMES) {
  const { questions, set } = list();
  const records: NotifiedBody[] = [];
  const ended = notifyQuestions({ questions, record: async (body) => records.push(body) }, options, times);
  return { set, records, ended };
}

describe('a message about a question', () => {
  test('is signed by Standard Webhooks, and has no arguments', async () => {
    const { got, origin, options } = await endpoint((response) => response.writeHead(204).end());
    const { set, records } = notifying(options);
    set([question()]);
    await expect.poll(() => records).toHaveLength(1);
    expect(records).toEqual([
      { event: 'notified', run: 'r', digest: DIGEST, to: origin, tries: 1, outcome: 'delivered', status: 204 },
    ]);
    const [message] = got as [Message];
    expect(isGenuine(message)).toBe(true);
    expect(isGenuine({ ...message, body: message.body.replace('grant', 'held') })).toBe(false);
    expect(message.headers['webhook-id']).toBe(`msg_${DIGEST}`);
    expect(JSON.parse(message.body)).toEqual({
      type: 'question.asked',
      timestamp: '2026-09-21T14:13:20.000Z',
      data: { digest: DIGEST, tool: 'mail.send', reason: 'grant', page: PAGE },
    });
  });

  test('names neither tool nor reason where the question follows from held values', async () => {
    const { got, options } = await endpoint((response) => response.end());
    const { set } = notifying(options);
    set([question(DIGEST, { held: true })]);
    await expect.poll(() => got).toHaveLength(1);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ data: { digest: DIGEST, page: PAGE } });
    expect(Object.keys(JSON.parse(got[0]?.body ?? '').data)).toEqual(['digest', 'page']);
  });

  test('is tried three times with the same id and body, each signed anew', async () => {
    const { got, options } = await endpoint((response, count) => response.writeHead(count < 3 ? 500 : 200).end());
    const { set, records } = notifying(options);
    set([question()]);
    await expect.poll(() => records).toMatchObject([{ tries: 3, outcome: 'delivered', status: 200 }]);
    expect(new Set(got.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(1);
    expect(got.map(isGenuine)).toEqual([true, true, true]);
  });

  test('follows no redirect, and fails after the third try', async () => {
    const other = await endpoint((response) => response.end());
    const { got, options } = await endpoint((response) => response.writeHead(307, { location: other.origin }).end());
    const { set, records } = notifying(options);
    set([question()]);
    await expect.poll(() => records).toMatchObject([{ tries: 3, outcome: 'failed', status: 307 }]);
    expect(got).toHaveLength(3);
    expect(other.got).toEqual([]);
  });

  test('waits for no endpoint that hangs, and reads no body without an end', async () => {
    const hanging = await endpoint(() => undefined);
    const { set, records } = notifying(hanging.options, { waits: [0, 0, 0], limit: 50 });
    set([question()]);
    await expect.poll(() => records).toMatchObject([{ tries: 3, outcome: 'failed' }]);
    expect(records[0]).not.toHaveProperty('status');
    const endless = await endpoint((response) => void response.writeHead(200).write('x'.repeat(1 << 16)));
    const second = notifying(endless.options);
    second.set([question()]);
    await expect.poll(() => second.records).toMatchObject([{ tries: 1, outcome: 'delivered' }]);
  });

  test('is not sent for a question that was answered at once, and not again after an answer', async () => {
    const { got, options } = await endpoint((response) => response.writeHead(500).end());
    const { set, records } = notifying(options, { waits: [40, 60_000], limit: 200 });
    set([question(OTHER)]);
    set([question()]);
    await expect.poll(() => got).toHaveLength(1);
    set([]);
    await expect
      .poll(() => records)
      .toEqual([expect.objectContaining({ digest: DIGEST, tries: 1, outcome: 'answered', status: 500 })]);
    expect(got).toHaveLength(1);
  });

  test('ends with the list, without a record', async () => {
    const { got, options } = await endpoint(() => undefined);
    const { set, records, ended } = notifying(options, { waits: [0, 0], limit: 60_000 });
    set([question()]);
    await expect.poll(() => got).toHaveLength(1);
    set([question()], true);
    await ended;
    expect(records).toEqual([]);
  });

  test('of many questions waits for room, and each is sent once', async () => {
    const { got, options } = await endpoint((response) => response.end());
    const { set, records } = notifying(options, { ...TIMES, limit: 60_000 });
    set(Array.from({ length: 80 }, (_, at) => question(at.toString(16).padStart(64, '0'))));
    await expect.poll(() => records).toHaveLength(80);
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(80);
    expect(got).toHaveLength(80);
  });
});

test.each([
  ['url', { url: 'http://push.example/topic', secret: SECRET }],
  ['url', { url: 'https://me:word@push.example', secret: SECRET }],
  ['url', { url: 'push', secret: SECRET }],
  ['secret', { url: 'https://push.example', secret: 'a secret' }],
  ['secret', { url: 'https://push.example', secret: `whsec_${randomBytes(8).toString('base64')}` }],
  ['page', { url: 'https://push.example', secret: SECRET, page: 'https://agents.example/?token=1' }],
  ['topic', { url: 'https://push.example', secret: SECRET, topic: 'x' }],
])('refuses options with a wrong %s, and does not repeat it', (name, given) => {
  const check = () => notifyOptions(given as NotifyOptions);
  expect(check).toThrow(
    expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name }) }),
  );
  expect(check).not.toThrow(expect.objectContaining({ message: expect.stringContaining(given.secret) }));
});

test('a runtime in Node sends the message, records its end in the log, and asks on', async () => {
  const { got, origin, options } = await endpoint((response) => response.end());
  const tool = { name: 'mail.send', description: 'Sends.', args: { type: 'object' }, version: '1.0.0' } as const;
  const runtime = await openRuntime({
    notify: options,
    tools: [{ ...tool, effect: 'egress', labels: [], run: () => 'sent' }],
    grants: [{ capability: 'mail.send', mode: 'ask' }],
    onNotice: () => undefined,
  });
  const call = { next_step: { tool: 'mail.send', arguments: { text: 'a secret' }, goal: 'try' } };
  const model = fromScript([call, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Send.', model });
  const events = async () => (await runtime.storage.events()).map(({ body }) => body);
  await expect.poll(events, { timeout: 10_000 }).toHaveLength(1);
  const digest = run.view.pending?.digest ?? '';
  expect(await events()).toEqual([
    { event: 'notified', run: run.id, digest, to: origin, tries: 1, outcome: 'delivered', status: 200 },
  ]);
  expect(got[0]?.body).not.toContain('secret');
  await run.answer(digest, { approved: true });
  expect(await run.result).toMatchObject({ state: 'completed' });
  expect((await runtime.ledger.fsck()).ok).toBe(true);
  await runtime.close();
});
