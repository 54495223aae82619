import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ModelPort, Run, Runtime } from '../../workers/api.ts';
import { deferred } from '../../workers/async.ts';
import { defineTool, fromScript, type NodeOptions } from '../../workers/node.ts';
import { done, NOTE, put } from './note.ts';
import { openRuntime } from './shared.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-suspend-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A tool whose call ends when the test says so, or with its signal. */
function slowTool() {
  const begun = deferred<AbortSignal>();
  const answer = deferred<string>();
  const tool = defineTool({
    name: 'wait',
    version: '1.0.0',
    description: 'Waits.',
    effect: 'write',
    labels: [],
    args: {},
    run: (_, { signal }) => {
      begun.resolve(signal);
      return answer.promise;
    },
  });
  return { tool, begun: begun.promise, answer };
}

const wait = { next_step: { tool: 'wait', arguments: {}, goal: 'wait' } };

/** Opens a runtime over a directory, again and again: what one closes, the next one finds. */
function place(given: NodeOptions): { open: () => Promise<Runtime> } {
  const directory = mkdtempSync(join(base, 'log-'));
  return { open: () => openRuntime({ store: { directory }, ...given }) };
}

const asking = { capabilities: [NOTE], grants: [{ capability: NOTE.name, mode: 'ask' }] } satisfies NodeOptions;

/** The handle says that its run was suspended. */
async function expectSuspended(run: Run): Promise<void> {
  expect(run.view).toMatchObject({ suspended: true });
  expect(run.view.end).toBeUndefined();
  await expect(run.result).rejects.toMatchObject({ code: 'run_suspended', details: { run_id: run.id } });
  await expect(run.run()).rejects.toMatchObject({ code: 'run_suspended' });
}

describe('a runtime that is closed with suspend', () => {
  test('lets a run with a question go, and the next one puts the question again', async () => {
    const { open } = place(asking);
    const before = await open();
    const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea')]) });
    await run.run();
    const asked = run.view.pending;
    await before.close({ suspend: true });
    await expectSuspended(run);

    const after = await open();
    expect((await after.runs())[0]).not.toHaveProperty('ended');
    const again = await after.resume(run.id, fromScript([done]));
    expect(again.view.pending).toEqual(asked);
    await again.answer(asked?.digest ?? '', { approved: true });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
    expect(await after.ledger.verify(run.id)).toMatchObject({ ok: true });
    await after.close();
  });

  test('lets a run whose model is writing go, and the next one asks the model again', async () => {
    const { open } = place(asking);
    const before = await open();
    const asked = deferred<AbortSignal>();
    const silent: ModelPort = {
      ...fromScript([]),
      propose: (_, { signal }) => {
        asked.resolve(signal);
        return new Promise(() => undefined);
      },
    };
    const run = before.start({ dialect: 'xct', task: 'Note.', model: silent });
    const request = await asked.promise;
    await before.close({ suspend: true });
    expect(request.aborted).toBe(true);
    await expectSuspended(run);

    const after = await open();
    const again = await after.resume(run.id, fromScript([done]));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 1 });
    await after.close();
  });

  test('lets the call at work end first, and begins no further step', async () => {
    const { tool, begun, answer } = slowTool();
    const { open } = place({ tools: [tool], grants: [{ capability: 'wait', mode: 'allow' }] });
    const before = await open();
    const run = before.start({ dialect: 'xct', task: 'Wait.', model: fromScript([wait, wait]) });
    await begun;
    let isClosed = false;
    const closing = before.close({ suspend: true }).then(() => (isClosed = true));
    await expect(before.openSession().call('wait', {})).rejects.toMatchObject({ code: 'runtime_closed' });
    expect(isClosed).toBe(false);
    answer.resolve('done');
    await closing;
    await expectSuspended(run);

    const after = await open();
    const again = await after.resume(run.id, fromScript([done]));
    expect(again.view.steps).toBe(1);
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
    expect(await after.ledger.verify(run.id)).toMatchObject({ ok: true });
    await after.close();
  });

  test('ends a call at work as call_aborted when its signal aborts, and seals no run', async () => {
    const { tool, begun } = slowTool();
    const { open } = place({ tools: [tool], grants: [{ capability: 'wait', mode: 'allow' }] });
    const before = await open();
    const run = before.start({ dialect: 'xct', task: 'Wait.', model: fromScript([wait]) });
    const session = before.openSession();
    const [signal, call] = [await begun, session.call('wait', {})];
    const queued = session.call('wait', {});
    queued.catch(() => undefined);
    await expect.poll(() => session.run.view.phase).toBe('CAPABILITY_EXECUTING');
    await before.close({ suspend: true, signal: AbortSignal.timeout(20) });
    expect(signal.aborted).toBe(true);
    expect(await call).toMatchObject({ ok: false, refusal: { code: 'call_aborted' } });
    await expect(queued).rejects.toMatchObject({ code: 'run_suspended' });
    await expectSuspended(run);

    const after = await open();
    const again = await after.resume(run.id, fromScript([done]));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
    const resumed = after.openSession({ resume: session.run.id });
    expect(await resumed.resumed).toBeUndefined();
    expect((await resumed.close()).state).toBe('completed');
    await after.close();
  });

  test('lets a session with a question go, whose call the next one still has open', async () => {
    const { open } = place(asking);
    const before = await open();
    const session = before.openSession({ questions: 'wait' });
    const call = session.call(NOTE.name, { text: 'tea' });
    call.catch(() => undefined);
    await expect.poll(() => session.run.view.pending).toBeDefined();
    await before.close({ suspend: true });
    await expect(call).rejects.toMatchObject({ code: 'run_suspended' });

    const after = await open();
    const again = after.openSession({ resume: session.run.id, questions: 'wait' });
    await expect.poll(() => again.run.view.pending).toBeDefined();
    await again.run.answer(again.run.view.pending?.digest ?? '', { approved: true });
    expect(await again.resumed).toMatchObject({ ok: true });
    await again.close();
    await after.close();
  });

  test('leaves a completed turn as it was, and its result', async () => {
    const { open } = place(asking);
    const before = await open();
    const run = before.start({ dialect: 'xct', task: 'Note.', model: fromScript([done]) });
    expect(await run.result).toMatchObject({ state: 'completed' });
    await before.close({ suspend: true });
    expect(run.view).not.toHaveProperty('suspended');
    expect(await run.result).toMatchObject({ state: 'completed' });
  });

  test('refuses drain beside it, which ends the runs', async () => {
    const runtime = await place(asking).open();
    await expect(runtime.close({ suspend: true, drain: true })).rejects.toMatchObject({
      code: 'option_invalid',
      details: { name: 'suspend' },
    });
    await runtime.close();
  });
});
