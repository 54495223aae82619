import { describe, expect, test } from 'vitest';
import type { Runtime, RuntimeOptions, WaitingQuestion } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { fromScript } from '../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { forChecks, forRuns } from './shared.ts';

const TOOL = { description: 'Sends.', args: { type: 'object' }, effect: 'egress', version: '1.0.0' } as const;
const call = (tool: string) => ({ next_step: { tool, arguments: { text: 'a secret' }, goal: 'try' } });
const DONE = { done: true, message: 'done' };

/** A runtime over this log, as another process opens it. */
async function opened(options: RuntimeOptions = {}, log: MemoryLog = emptyLog()): Promise<Runtime> {
  const ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), {
    tools: ['mail.send', 'post.send'].map((name) => ({ ...TOOL, name, labels: [], run: () => 'sent' })),
    grants: ['mail.send', 'post.send'].map((capability) => ({ capability, mode: 'ask' })),
    ...options,
  });
}

const start = (runtime: Runtime, tool: string) =>
  runtime.start({ dialect: 'xct', task: 'Send it.', model: fromScript([call(tool), DONE]) });

/** Keeps every list that the runtime yields. */
function listening(runtime: Runtime, signal?: AbortSignal) {
  const lists: (readonly WaitingQuestion[])[] = [];
  const ended = (async () => {
    for await (const open of runtime.questions(signal && { signal })) lists.push(open);
  })();
  return { lists, ended, names: () => lists.at(-1)?.map(({ pending }) => pending?.capability) };
}

describe('the questions of a runtime', () => {
  test('are those of all runs and sessions, live, until the answer', async () => {
    const runtime = await opened();
    const { names, lists, ended } = listening(runtime);
    await expect.poll(names).toEqual([]);
    const run = start(runtime, 'mail.send');
    await expect.poll(names).toEqual(['mail.send']);
    const session = runtime.openSession({ principal: 'https://id.example ada', questions: 'wait' });
    const called = session.call('post.send', { text: 'hi' });
    await expect.poll(names).toEqual(['mail.send', 'post.send']);
    const [mail, post] = lists.at(-1) ?? [];
    expect(mail).toMatchObject({ run_id: run.id, pending: { digest: mail?.digest, reason_code: 'grant' } });
    expect(mail).not.toHaveProperty('principal');
    expect(post).toMatchObject({ run_id: session.run.id, principal: 'https://id.example ada' });
    const second = listening(runtime);
    await expect.poll(second.names).toEqual(['mail.send', 'post.send']);
    await run.answer(mail?.digest ?? '', { approved: true });
    await expect.poll(names).toEqual(['post.send']);
    await session.run.answer(post?.digest ?? '', { approved: false, reason: 'no' });
    expect(await called).toMatchObject({ ok: false });
    await expect.poll(names).toEqual([]);
    await runtime.close();
    await ended;
  });

  test('are not those that nobody is asked, and not those for the authorizer', async () => {
    const runtime = await opened({
      authorizer: { id: 'no', authorize: async () => ({ allow: false, reason: 'closed' }) },
    });
    const { lists } = listening(runtime);
    const session = runtime.openSession();
    expect(await session.call('mail.send', { text: 'hi' })).toMatchObject({ ok: false });
    await runtime.close();
    expect(lists.flat()).toEqual([]);
    const other = await opened();
    const later = listening(other);
    expect(await other.openSession().call('mail.send', { text: 'hi' })).toMatchObject({
      refusal: { code: 'approval_unavailable' },
    });
    await other.close();
    expect(later.lists.flat()).toEqual([]);
  });

  test('come again in a runtime that resumes the run, and end with the signal and the run', async () => {
    const log = emptyLog();
    const runtime = await opened({}, log);
    const run = start(runtime, 'mail.send');
    await expect.poll(() => run.view.pending).toBeDefined();
    const digest = run.view.pending?.digest;
    const later = await opened({}, structuredClone(log));
    const controller = new AbortController();
    const { names, lists, ended } = listening(later, controller.signal);
    const again = await later.resume(run.id, fromScript([DONE]));
    await expect.poll(names).toEqual(['mail.send']);
    expect(lists.at(-1)?.[0]).toMatchObject({ run_id: run.id, digest });
    await again.abort();
    await expect.poll(names).toEqual([]);
    controller.abort();
    await ended;
    await Promise.all([runtime.close(), later.close()]);
  });

  test('name consent to a remote model, with its origin', async () => {
    const runtime = await opened();
    const { lists } = listening(runtime);
    const model = { ...fromScript([DONE]), locality: { kind: 'remote', origin: 'https://ai.example' } } as const;
    const run = runtime.start({ dialect: 'xct', task: 'Mine.', model, labels: ['private'] });
    await expect.poll(() => lists.at(-1)?.[0]?.consent?.origin).toBe('https://ai.example');
    expect(lists.at(-1)?.[0]).not.toHaveProperty('pending');
    await run.answer(lists.at(-1)?.[0]?.digest ?? '', { approved: true });
    await expect.poll(() => lists.at(-1)).toEqual([]);
    await runtime.close();
  });

  test('refuses options that it does not know', async () => {
    const runtime = await opened();
    expect(() => runtime.questions({ sinal: 1 } as object)).toThrow(
      expect.objectContaining({ code: 'option_invalid' }),
    );
    await runtime.close();
  });
});
