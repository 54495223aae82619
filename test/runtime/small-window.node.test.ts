import { describe, expect, test } from 'vitest';
import { utf8Length } from '../../core/json/utf8.ts';
import type { ModelPort, OpeningLength } from '../../workers/api.ts';
import { ModelError } from '../../workers/node.ts';
import { NOTE } from './note.ts';
import { openRuntime } from './shared.ts';

const WINDOW = 2000;
const NOTES = Array.from({ length: 8 }, (_, nth) => ({
  ...NOTE,
  name: `note.put${nth}`,
  description: `Keeps a note. ${'It is explained at length. '.repeat(40)}`,
  source: 'export default ({ text }) => ({ kept: text, more: "x".repeat(text.length * 300) });',
}));

/** A model that fails for a request of more bytes than its window, and calls each capability until its last answer. */
function small(contextBytes: number): ModelPort & { readonly sizes: number[] } {
  const sizes: number[] = [];
  return {
    ...{ id: 'small', locality: { kind: 'local' }, window: { contextBytes, maxTokens: 64 }, sizes },
    async propose({ messages, maxTokens }) {
      const bytes = messages.reduce((sum, { content }) => sum + utf8Length(content), 0);
      if (bytes > WINDOW || maxTokens > 64) throw new ModelError(`${bytes} bytes`, { retryable: false });
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
