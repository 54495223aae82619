import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PayloadRef } from '../../../../core/ledger/payload-ref.ts';
import { followRun, type RunSession } from '../../../../web/playground/run/session.ts';
import type { Run, Runtime } from '../../../../workers/api.ts';
import { localAuditor } from '../../../../workers/auditor/auditor.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { openClient } from '../../../../workers/client/client.ts';
import { kernelAt } from '../../../../workers/client/kernel-port.ts';
import type { Kernel } from '../../../../workers/kernel/api.ts';
import { makeKernel } from '../../../../workers/kernel/kernel.ts';
import { servedKernel } from '../../../../workers/kernel/run-ports.ts';
import { portOf } from '../../../../workers/lock/realm-port.ts';
import { nodePorts } from '../../../../workers/node/platform.ts';
import type { RunListener } from '../../../../workers/ports.ts';
import { openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { forChecks, forRuns } from '../../../runtime/shared.ts';

const done = { done: true, message: 'kept' };
const put = (text: string) => ({ next_step: { tool: 'note.put', arguments: { text }, goal: 'keep' } });

/** A capability that writes, and one that answers with a secret. */
const NOTE = {
  name: 'note.put',
  version: '1.0.0',
  description: 'Keeps a note.',
  args: { type: 'object', required: ['text'], additionalProperties: false, properties: { text: { type: 'string' } } },
  effect: 'write',
  source: 'export default ({ text }) => ({ kept: text });',
} as const;

/** Messages of a step. Others of the kernel prepare the sandbox for later steps. */
const OWN = new Set(['answer', 'begin', 'command', 'look', 'payload', 'propose', 'records', 'update']);

/** Sent messages of this realm: of the page, of the kernel, and answers of either. */
let sent: string[] = [];
const { postMessage } = MessagePort.prototype;

beforeEach(() => {
  MessagePort.prototype.postMessage = function (this: MessagePort, ...given: Parameters<typeof postMessage>) {
    const [data] = given as [{ readonly type?: string; readonly path?: readonly string[]; readonly view?: unknown }];
    if (data.view !== undefined) sent.push('update');
    else if (data.type === 'APPLY') sent.push(String(data.path));
    else if (data.type === 'RAW' || data.type === 'HANDLER') sent.push('answer');
    return postMessage.apply(this, given);
  } as typeof postMessage;
});

let runtime: Runtime;
let session: RunSession;
/** The kernel itself, and its listener of the newest run: another tab acts on the same ledger. */
let kernel: Kernel;
let listener: RunListener | undefined;
afterEach(async () => {
  MessagePort.prototype.postMessage = postMessage;
  session.close();
  await runtime.close();
});

/** The listener in a frame of the screen that does not end, so that a slow step has no update more than a fast one. */
function inOneFrame(told: RunListener): RunListener {
  const { setTimeout } = globalThis;
  return (update) => {
    globalThis.setTimeout = (() => undefined) as unknown as typeof setTimeout;
    told(update);
    globalThis.setTimeout = setTimeout;
  };
}

/** Opens a runtime as a page does: its kernel is behind a port. */
async function openPage(definition: object = NOTE): Promise<void> {
  const ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore() };
  kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const served = servedKernel({
    ...kernel,
    start: (request, proposer, told) => kernel.start(request, proposer, (listener = inOneFrame(told))),
  });
  const options = {
    capabilities: [definition as typeof NOTE],
    grants: [{ capability: 'note.put', mode: 'allow' }],
  } as const;
  runtime = await openClient(kernelAt(portOf(served)), async () => localAuditor(forChecks), options);
}

function start(texts: readonly object[]): Run {
  const run = runtime.start({ dialect: 'xct', task: 'Keep notes.', model: fromScript(texts, 'm'), paused: true });
  session = followRun(runtime, run, undefined as never);
  return run;
}

/** Steps, and waits until the session shows the texts of the step. Returns the messages of both. */
async function shownStep(run: Run): Promise<readonly string[]> {
  const observed = () => session.records.value.filter(({ kind }) => kind === 'observation').length;
  const before = observed();
  sent = [];
  await run.step();
  await expect.poll(observed).toBeGreaterThan(before);
  for (const { kind, body } of session.records.value)
    if (kind === 'proposal' || kind === 'observation')
      await expect.poll(() => session.payload(body.payload).state).toBe('there');
  return sent;
}

const textOf = (kind: 'proposal' | 'observation'): string => {
  const record = session.records.value.findLast((each) => each.kind === kind);
  const view = record?.kind === kind ? session.payload(record.body.payload) : undefined;
  return view?.state === 'there' ? new TextDecoder().decode(view.bytes) : '';
};

// a call that writes is recorded before it begins, and that is an update too
it.each([
  ['read', 8],
  ['write', 9],
] as const)(
  'a warm %s takes %d messages: its texts come with an update, and the page asks nothing back',
  async (effect, count) => {
    await openPage({ ...NOTE, effect });
    const run = start([put('one'), put('two'), done]);
    await shownStep(run);
    const messages = await shownStep(run);
    const own = messages.filter((each) => OWN.has(each));
    const updates = effect === 'write' ? ['update', 'update'] : ['update'];
    expect(own.sort()).toEqual(['answer', 'answer', 'begin', 'command', 'propose', ...updates]);
    // the sandbox is a thread, which sends two by itself: its guest runs, and its answer
    expect(own.length + 2).toBe(count);
    expect(textOf('proposal')).toContain('"two"');
    expect(textOf('observation')).toContain('two');
  },
);

it('a secret text comes to a page that asks for it, and an erased text to nobody', async () => {
  await openPage({ ...NOTE, secret: ['args', 'result'] });
  const run = start([put('one'), done]);
  const messages = await shownStep(run);
  expect(messages).toContain('payload');
  expect(textOf('observation')).toContain('one');
  await run.step();
  await run.result;
  await runtime.ledger.erase(run.id);
  for (const ref of await textsOf(run.id)) expect(await runtime.ledger.payload(run.id, ref)).toBeUndefined();
});

const textsOf = async (run_id: string) =>
  (await runtime.ledger.records(run_id)).flatMap(({ kind, body }) =>
    kind === 'proposal' || kind === 'observation' ? [body.payload] : [],
  );

it('a run that ended has no text in the memory of its page, so that what another tab erases is unreadable here', async () => {
  await openPage();
  const run = start([put('one'), done]);
  await shownStep(run);
  const shown = await textsOf(run.id);
  sent = [];
  for (const ref of shown) expect(await runtime.ledger.payload(run.id, ref)).toBeDefined();
  expect(sent).not.toContain('payload');
  await run.step();
  await run.result;
  expect(await kernel.erase(run.id)).toMatchObject({ ok: true });
  for (const ref of await textsOf(run.id)) expect(await runtime.ledger.payload(run.id, ref)).toBeUndefined();
});

it('a run that another kernel takes over has no text in the memory of its page', async () => {
  await openPage();
  const run = start([put('one'), done]);
  await shownStep(run);
  const [ref] = await textsOf(run.id);
  listener?.({ view: { ...run.view, taken: true }, records: [] });
  await expect.poll(() => run.view.taken).toBe(true);
  sent = [];
  await runtime.ledger.payload(run.id, ref as PayloadRef);
  expect(sent).toContain('payload');
});

it('a text beyond the bound of an update comes to a page that asks for it', async () => {
  await openPage();
  const run = start([put('one'), put('long '.repeat(14_000))]);
  await shownStep(run);
  expect(await shownStep(run)).toContain('payload');
  expect(textOf('proposal')).toContain('long long');
});
