import { describe, expect, test } from 'vitest';
import { utf8Length } from '../../core/json/utf8.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { replyText } from '../../core/run/observe.ts';
import type { ModelPort, OpeningLength } from '../../workers/api.ts';
import { ModelError } from '../../workers/node.ts';
import { emptyLog } from '../../workers/store/memory/store.ts';
import { NOTE } from './note.ts';
import { openAt, openRuntime } from './shared.ts';

const WINDOW = 2000;
const NOTES = Array.from({ length: 8 }, (_, nth) => ({
  ...NOTE,
  name: `note.put${nth}`,
  description: `Keeps a note. ${'It is explained at length. '.repeat(40)}`,
  source: 'export default ({ text }) => ({ kept: text, more: "x".repeat(text.length * 300) });',
}));

/** A model that fails for a request of more bytes than its window, and calls each capability until its last answer. */
function small(contextBytes: number, most = WINDOW): ModelPort & { readonly sizes: number[] } {
  const sizes: number[] = [];
  return {
    ...{ id: 'small', locality: { kind: 'local' }, window: { contextBytes, maxTokens: 64 }, sizes },
    async propose({ messages, maxTokens }) {
      const bytes = messages.reduce((sum, { content }) => sum + utf8Length(content), 0);
      if (bytes > most || maxTokens > 64) throw new ModelError(`${bytes} bytes`, { retryable: false });
      const step = sizes.push(bytes);
      const call = { tool: `note.put${step % 8}`, arguments: { text: 'x'.repeat(step % 7) }, goal: 'keep' };
      const task = messages.find(({ kind }) => kind === 'task')?.content;
      return { text: JSON.stringify(step > 20 ? { done: true, message: task ?? '' } : { next_step: call }) };
    },
  };
}

describe('a model with a window of 2,000 bytes', () => {
  test.each<[OpeningLength, number]>([
    ['names', WINDOW - 500],
    ['none', WINDOW],
  ])('takes part in a run of twenty steps, with the opening %s', async (opening, contextBytes) => {
    const grants = NOTES.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
    const runtime = await openRuntime({ capabilities: NOTES, grants });
    const model = small(contextBytes);
    const run = runtime.start({ dialect: 'xct', task: 'Keep twenty notes.', model, opening });
    expect(await run.result).toMatchObject({ state: 'completed', steps: 21, message: 'Keep twenty notes.' });
    expect(Math.max(...model.sizes)).toBeGreaterThan(WINDOW / 2);
    const report = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
    expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
    await runtime.close();
  });

  test('cannot take the full opening of these capabilities, and says so', async () => {
    const runtime = await openRuntime({ capabilities: NOTES });
    const run = runtime.start({ dialect: 'xct', task: 'Keep a note.', model: small(WINDOW) });
    expect(await run.result).toMatchObject({ state: 'failed', code: 'model_failed' });
    await runtime.close();
  });
});

test('a model with a window below the least history of a run is shown no more than its window holds', async () => {
  const grants = NOTES.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
  const runtime = await openRuntime({ capabilities: NOTES, grants });
  // 1,024 tokens of a byte each: a quarter for the answer, half of the rest for the history
  const model = small(384, 384);
  const run = runtime.start({ dialect: 'xct', task: 'Keep twenty notes.', model, opening: 'none' });
  expect(await run.result).toMatchObject({ state: 'completed', steps: 21, message: 'Keep twenty notes.' });
  const records = await runtime.ledger.records(run.id);
  const windows = records.flatMap(({ kind, body }) => (kind === 'proposal' ? [body.window] : []));
  expect(new Set(windows)).toEqual(new Set([384]));
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(run.id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  await runtime.close();
});

describe('an error reaches the model', () => {
  const FAULTS = ['disk full', 'E'.repeat(5_000)];
  const boom = {
    ...NOTE,
    name: 'boom',
    args: { type: 'object' },
    source: 'export default ({ said }) => { throw new Error(said); };',
  } as const;

  test.each([
    [1024, 512, {}],
    [2048, 1536, {}],
    [4096, 3584, {}],
    [1024, 512, { window: 1 }],
    [65_536, 61_440, {}],
  ])(
    'in a history of %i bytes beside a task of %i bytes',
    async (contextBytes, taskBytes, { window = contextBytes }: { window?: number }) => {
      const runtime = await openRuntime({ capabilities: [boom], grants: [{ capability: 'boom', mode: 'allow' }] });
      const seen: string[] = [];
      const script = [
        ...FAULTS.map((said) => JSON.stringify({ next_step: { tool: 'boom', arguments: { said }, goal: 'g' } })),
        'no JSON',
        JSON.stringify({ next_step: { tool: 'boom', arguments: {}, goal: 'g', ['n'.repeat(3_000)]: 1 } }),
        JSON.stringify({ done: true, message: 'x' }),
      ];
      const model: ModelPort = {
        id: 'm',
        locality: { kind: 'local' },
        window: { contextBytes: window },
        async propose({ messages }) {
          seen.push(messages.at(-1)?.content ?? '');
          return { text: script[seen.length - 1] ?? '' };
        },
      };
      const run = runtime.start({ dialect: 'xct', task: 't'.repeat(taskBytes), model });
      expect(await run.result).toMatchObject({ state: 'completed' });
      const errors = seen.slice(1).map((text) => JSON.parse(text) as { message: string; details: { code: string } });
      expect(errors.map(({ details }) => details.code)).toEqual([
        'capability_threw',
        'capability_threw',
        'json_syntax',
        'unknown_member',
      ]);
      expect(errors.every(({ message }) => message.length > 20)).toBe(true);
      const records = await runtime.ledger.records(run.id);
      const told = records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.payload.sha256] : []));
      const texts = await Promise.all(
        told.map(async (hash) => new TextDecoder().decode(await runtime.ledger.payload(run.id, hash))),
      );
      // in a window below the history of the run, each has the form that has room there
      const shown = texts.map((text) => replyText(JSON.parse(text) as JsonObject, window - taskBytes));
      expect(seen.slice(1)).toEqual(shown.slice(0, 4));
      await runtime.close();
    },
  );

  test('in the window of a smaller model that goes on with the run, and the proposal records that window', async () => {
    const seen: string[] = [];
    const model = (contextBytes: number, script: readonly object[]): ModelPort => {
      let asked = 0;
      return {
        ...{ id: 'm', locality: { kind: 'local' }, window: { contextBytes } },
        async propose({ messages }) {
          seen.push(messages.at(-1)?.content ?? '');
          return { text: JSON.stringify(script[asked++]) };
        },
      };
    };
    const call = { next_step: { tool: 'boom', arguments: { said: 'E'.repeat(5_000) }, goal: 'g' } };
    const done = { done: true, message: 'x' };
    const log = emptyLog();
    const options = { capabilities: [boom], grants: [{ capability: 'boom', mode: 'allow' }] } as const;
    const first = await openAt({ now: 1 }, options, log);
    const run = first.start({ dialect: 'xct', task: 't', model: model(65_536, [call]), paused: true });
    await run.step();
    const second = await openAt({ now: 2 }, options, log);
    const again = await second.resume(run.id, model(2048, [call, done]));
    await again.run();
    const records = await second.ledger.records(run.id);
    const windows = records.flatMap(({ kind, body }) => (kind === 'proposal' ? [body.window] : []));
    expect(windows).toEqual([undefined, 2048, 2048]);
    // what was shown follows from the records
    const replies = records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.payload.sha256] : []));
    const shown = replies.map(async (hash) => {
      const reply = JSON.parse(new TextDecoder().decode(await second.ledger.payload(run.id, hash))) as JsonObject;
      return replyText(reply, 2048 - 't'.length);
    });
    expect(seen.slice(1)).toEqual(await Promise.all(shown));
    expect(seen[1]).toMatch(/capability_threw.*omitted/);
    const { checks } = await second.ledger.check(await second.ledger.export(run.id), { replay: true });
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  });

  test('a task that leaves it no room is refused at the start, with the sizes', async () => {
    const runtime = await openRuntime();
    const run = runtime.start({ dialect: 'xct', task: 't'.repeat(1600), model: small(2048) });
    await expect(run.result).rejects.toMatchObject({
      code: 'option_invalid',
      message: expect.stringMatching(/1536 .*2048/),
    });
    await runtime.close();
  });
});
