import { describe, expect, test } from 'vitest';
import type { ModelPort, ModelRequest, ResumeOptions, Runtime, StartOptions } from '../../workers/api.ts';
import { temporaryFolder } from '../folder.ts';
import { done, NOTE, put } from './note.ts';
import { openRuntime } from './shared.ts';

const ADD = { ...NOTE, name: 'math.add', description: 'Adds.' } as const;
const CAPABILITIES = [ADD, NOTE];
const GRANTS = CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);

/** A model that keeps its requests. */
function listener(...answers: readonly (object | string)[]): ModelPort & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const texts = answers.map((answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer)));
  const propose = async (request: ModelRequest) => ({ text: texts[requests.push(request) - 1] ?? '' });
  return { id: 'listener', locality: { kind: 'local' }, requests, propose };
}

async function ask(model: ModelPort, options: Partial<StartOptions> = {}, given?: Runtime) {
  const runtime = given ?? (await openRuntime({ capabilities: CAPABILITIES, grants: GRANTS }));
  const run = runtime.start({ dialect: 'xct', task: 'Note.', model, ...options });
  return { runtime, run, end: await run.result };
}

/** Runs a task, and the next task of the same run in a runtime that has only its records. */
async function resumed(model: ModelPort, options: ResumeOptions = {}): Promise<void> {
  const store = { directory: temporaryFolder() };
  const runtime = await openRuntime({ store, capabilities: CAPABILITIES, grants: GRANTS });
  const { run } = await ask(model, {}, runtime);
  await runtime.close();
  const later = await openRuntime({ store });
  const again = await later.resume(run.id, model, options);
  await again.say('Again.');
  await again.run();
  await again.result;
  await later.close();
}

describe('what a model is asked', () => {
  test('each message says its kind, and a call has its id, its name and its raw arguments', async () => {
    const model = listener('{"next_step":{"tool":"note.put","arguments":{ "text":"tea" },"goal":"keep"}}', 'no', done);
    await ask(model);
    const call = { id: 'call00001', name: 'note.put', args: '{ "text":"tea" }' };
    expect(model.requests[2]?.messages.map(({ role, kind, call: made }) => [role, kind, made])).toEqual([
      ['system', 'opening', undefined],
      ['user', 'task', undefined],
      ['assistant', 'proposal', call],
      ['user', 'observation', call],
      ['assistant', 'proposal', undefined],
      ['user', 'observation', undefined],
    ]);
  });

  test('a resumed run tells the same messages', async () => {
    const model = listener(put('tea'), done, done);
    await resumed(model);
    const kept = model.requests[1]?.messages.slice(1) ?? [];
    expect(model.requests[2]?.messages.slice(1, 1 + kept.length)).toEqual(kept);
  });

  test('a request names the dialect, and the tools that the run offers', async () => {
    const model = listener(done);
    await ask(model);
    const { dialect, tools } = model.requests[0] as ModelRequest;
    expect(dialect).toBe('xct');
    expect(tools).toEqual(CAPABILITIES.map(({ name, description, args }) => ({ name, description, args })));
  });

  test('a disabled capability is no tool', async () => {
    const runtime = await openRuntime({ capabilities: CAPABILITIES, grants: GRANTS });
    await runtime.capabilities.disable('math.add');
    const model = listener(done);
    await ask(model, {}, runtime);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['note.put']);
  });

  test('a run sees the offered capabilities only, and so does its model', async () => {
    const model = listener(put('tea'), done);
    const { runtime, run } = await ask(model, { offer: ['math.add'] });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['math.add']);
    expect(JSON.stringify(model.requests[0])).not.toContain('note.put');
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('unknown_capability');
    const checked = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
    expect(checked.ok).toBe(true);
    const whole = await ask(listener(put('tea'), done), { offer: ['note.put', 'note.put'] }, runtime);
    expect(whole.end.state).toBe('completed');
  });

  test('a run is refused an offer of an unknown name, and an offer that is no list', async () => {
    const start = (offer: unknown) => ask(listener(done), { offer } as Partial<StartOptions>);
    await expect(start(['math.sub'])).rejects.toMatchObject({ code: 'unknown_capability' });
    await expect(start('math.add')).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'offer' } });
  });

  test('an opening lists the names of the capabilities, or is absent', async () => {
    const [names, none] = [listener(done), listener(done)];
    await ask(names, { opening: 'names' });
    await ask(none, { opening: 'none' });
    const [opening] = names.requests[0]?.messages ?? [];
    expect(opening?.content).toContain('Capabilities: math.add, note.put');
    expect(opening?.content).not.toContain('Adds.');
    expect(none.requests[0]?.messages.map(({ kind }) => kind)).toEqual(['task']);
    const wrong = ask(none, { opening: 'some' } as object);
    await expect(wrong).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'opening' } });
  });

  test('a resumed run begins with the opening that its resumption asks for', async () => {
    const model = listener(done, done);
    await resumed(model, { opening: 'none' });
    expect(model.requests[1]?.messages[0]?.kind).toBe('task');
  });
});
