import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Notice, RuntimeOptions, StartOptions } from '../../../workers/api.ts';
import { CORPUS_CAPABILITIES, defineCapability, fromScript, ModelError } from '../../../workers/node.ts';
import { openRuntime } from '../../runtime/shared.ts';

const add = defineCapability({
  name: 'add',
  version: '1.0.0',
  description: 'Adds.',
  effect: 'pure',
  args: { type: 'object' },
  source: 'export default () => 1;',
});
const DONE = { done: true, message: 'ok' };

beforeEach(() => vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());
const warned = () => vi.mocked(console.warn).mock.calls.map(([text]) => String(text));

async function noticesOf(options: RuntimeOptions, start: Partial<StartOptions> = {}) {
  const runtime = await openRuntime(options);
  const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: fromScript([DONE]), ...start });
  const end = await run.result;
  const { notices = [] } = run.view;
  await runtime.close();
  return { end, codes: notices.map(({ code }) => code), notices };
}

describe('notices at the start of a run', () => {
  test('a run without capabilities gives the notice nothing_offered and completes', async () => {
    const { end, codes } = await noticesOf({});
    expect([end.state, codes]).toEqual(['completed', ['nothing_offered']]);
    expect(warned()).toEqual([expect.stringContaining('(nothing_offered)')]);
  });

  test('a grant for an operation of another dialect gives a notice that names the fitting capabilities', async () => {
    const { codes, notices } = await noticesOf({ grants: [{ capability: 'content.read', mode: 'allow' }] });
    expect(codes).toEqual(['content_not_offered', 'nothing_offered']);
    expect(notices[0]?.message).toMatch(/content\.read.*CORPUS_CAPABILITIES.*corpus\.search and corpus\.read/);
  });

  test('a run whose capabilities have no grant gives the notice nothing_granted', async () => {
    const { codes, notices } = await noticesOf({ capabilities: [add] });
    expect(codes).toEqual(['nothing_granted']);
    expect(notices[0]?.message).toContain('(add)');
    expect((await noticesOf({ capabilities: [add], grants: [{ capability: 'add', mode: 'deny' }] })).codes).toEqual([
      'nothing_granted',
    ]);
  });

  test('a run with a granted capability gives no notice', async () => {
    const allowed = { capability: 'add', mode: 'allow' } as const;
    expect((await noticesOf({ capabilities: [add], grants: [allowed] })).codes).toEqual([]);
    const read = { capability: 'corpus.read', mode: 'ask' } as const;
    expect((await noticesOf({ capabilities: CORPUS_CAPABILITIES, grants: [read] })).codes).toEqual([]);
    const content = { capability: 'content.read', mode: 'allow' } as const;
    expect((await noticesOf({ capabilities: CORPUS_CAPABILITIES, grants: [read, content] })).codes).toEqual([]);
    expect(warned()).toEqual([]);
  });

  test('the console shows the same notice once for each runtime', async () => {
    const runtime = await openRuntime();
    for (let nth = 0; nth < 3; nth++)
      await runtime.start({ dialect: 'xct', task: 'Talk.', model: fromScript([DONE]) }).result;
    await runtime.close();
    expect(warned().length).toBe(1);
  });
});

test('an answer that was cut off at its limit of tokens gives the notice answer_cut_off', async () => {
  const grants = [{ capability: 'add', mode: 'allow' }] as const;
  const answers = ['{"next_step":{"tool":"ad', JSON.stringify(DONE)];
  const model = {
    id: 'short',
    propose: async () => {
      const text = answers.shift() ?? '';
      return { text, finish: text.endsWith('}') ? ('stop' as const) : ('length' as const) };
    },
  };
  const { end, notices } = await noticesOf({ capabilities: [add], grants }, { model, limits: { answerTokens: 8 } });
  expect(end.state).toBe('completed');
  expect(notices).toEqual([
    { code: 'answer_cut_off', message: 'The answer of step 1 was cut off at 8 tokens. Raise limits.answerTokens.' },
  ]);
});

test('the failure of an adapter is a single line in the console, with control characters escaped', async () => {
  const runtime = await openRuntime();
  const propose = async () => {
    throw new ModelError('busy\u001b[2K\nsallyport: All is well.', { retryable: true });
  };
  const run = runtime.start({
    dialect: 'xct',
    task: 'Talk.',
    model: { id: 'loud', locality: { kind: 'local' }, propose },
    paused: true,
  });
  await run.run();
  await runtime.close();
  expect(warned().at(-1)).toContain('busy\\u001b[2K\\nsallyport: All is well.');
});

describe('a run that waits for a person', () => {
  const ask = { capabilities: [add], grants: [{ capability: 'add', mode: 'ask' }] } as const;
  const model = () => fromScript([{ next_step: { tool: 'add', arguments: {}, goal: 'add' } }, DONE]);

  test('waits, and tells once that nobody may know of its question', async () => {
    const told: Notice[] = [];
    const runtime = await openRuntime({ ...ask, onNotice: (notice) => void told.push(notice) });
    for (let nth = 0; nth < 2; nth++) {
      const run = runtime.start({ dialect: 'xct', task: 'Add.', model: model() });
      await expect.poll(() => run.view.pending?.capability).toBe('add');
      await run.answer(run.view.pending?.digest ?? '', { approved: true });
      expect((await run.result).state).toBe('completed');
    }
    await runtime.close();
    expect(told).toEqual([{ code: 'question_waits', message: expect.stringContaining('add needs the approval') }]);
    expect(warned()).toEqual([]);
  });

  test('tells the console without onNotice, and nobody where the run is watched or has an approver', async () => {
    const runtime = await openRuntime(ask);
    const watched = runtime.start({ dialect: 'xct', task: 'Add.', model: model() });
    watched.watch(({ pending }) => pending && void watched.answer(pending.digest, { approved: true }));
    await watched.result;
    expect(warned()).toEqual([]);
    const run = runtime.start({ dialect: 'xct', task: 'Add.', model: model() });
    await expect.poll(warned).toEqual([expect.stringContaining('(question_waits)')]);
    await run.abort();
    await runtime.close();
    const approving = await openRuntime({ ...ask, approve: async () => ({ approved: true }) });
    await approving.start({ dialect: 'xct', task: 'Add.', model: model() }).result;
    await approving.close();
    expect(warned()).toHaveLength(1);
  });
});
