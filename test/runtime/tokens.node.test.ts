import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelPort, Run, Runtime } from '../../workers/api.ts';
import { temporaryFolder } from '../folder.ts';
import { done, NOTE, put } from './note.ts';
import { openRuntime } from './shared.ts';

const SETUP = { capabilities: [NOTE], grants: [{ capability: 'note.put', mode: 'allow' }] } as const;

/** A model whose server counts 10 tokens for each request and 3 for each answer. */
function counted(...answers: readonly object[]): ModelPort {
  const texts = answers.map((answer) => JSON.stringify(answer));
  const propose = async () => ({ text: texts.shift() ?? '', usage: { input: 10, output: 3 } });
  return { id: 'counted', provider: 'test.server', name: 'tiny', locality: { kind: 'local' }, propose };
}

const start = (runtime: Runtime, model: ModelPort, limits: object = {}) =>
  runtime.start({ dialect: 'xct', task: 'Note.', model, limits });

async function replayed(runtime: Runtime, { id }: Run): Promise<void> {
  const report = await runtime.ledger.check(await runtime.ledger.export(id), { replay: true });
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
}

describe('the tokens of a run', () => {
  test('the tokens of a run are in its view and in its telemetry', async () => {
    const runtime = await openRuntime(SETUP);
    const run = start(runtime, counted(put('tea'), done));
    const events = [];
    for await (const { event } of run.telemetry()) events.push(event);
    expect(run.view.tokens).toEqual({ input: 20, output: 6 });
    expect(events.at(-1)).toMatchObject({ event_type: 'run_completed', input_tokens: 20, output_tokens: 6 });
    expect(events.find((event) => event.event_type === 'run_started')).toMatchObject({
      provider: 'test.server',
      model_name: 'tiny',
    });
  });

  test('a run that has used its tokens ends, and a replay decides the same', async () => {
    const runtime = await openRuntime(SETUP);
    const run = start(runtime, counted(put('a'), put('b'), put('c'), done), { tokens: 26 });
    expect(await run.result).toMatchObject({ state: 'limit', code: 'limit_tokens', steps: 2 });
    expect(run.view.tokens).toEqual({ input: 20, output: 6 });
    await replayed(runtime, run);
  });

  test('a run with one token left takes one more step', async () => {
    const runtime = await openRuntime(SETUP);
    const run = start(runtime, counted(put('a'), put('b'), done), { tokens: 27 });
    expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
  });

  test('a resumed run goes on counting where its records end', async () => {
    const directory = temporaryFolder();
    const before = await openRuntime({ ...SETUP, store: { directory } });
    const run = start(before, counted(put('a')), { tokens: 26 });
    await run.step();
    // The copy stands for a crash: closing a runtime ends its runs.
    const copy = temporaryFolder();
    await cp(directory, copy, { recursive: true });
    await rm(join(copy, 'lock'), { force: true, recursive: true });
    await before.close();
    const runtime = await openRuntime({ ...SETUP, store: { directory: copy } });
    const again = await runtime.resume(run.id, counted(put('b'), done));
    expect(again.view.tokens).toEqual({ input: 10, output: 3 });
    await again.run();
    expect(await again.result).toMatchObject({ code: 'limit_tokens', steps: 2 });
    await replayed(runtime, again);
  });

  test('a run whose server reports no tokens has none, and says that their limit has no effect', async () => {
    const runtime = await openRuntime(SETUP);
    const silent = { ...counted(), propose: async () => ({ text: JSON.stringify(done) }) };
    const run = start(runtime, silent, { tokens: 1 });
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(run.view.tokens).toBeUndefined();
    expect(run.view.notices?.map(({ code }) => code)).toContain('tokens_not_counted');
  });

  test('a limit of no tokens is refused', async () => {
    const runtime = await openRuntime(SETUP);
    await expect(start(runtime, counted(done), { tokens: 0 }).result).rejects.toMatchObject({
      code: 'option_invalid',
      details: { name: 'tokens' },
    });
  });
});
