import { describe, expect, test } from 'vitest';
import type { StampedEvent } from '../../../core/index.ts';
import { toOtlp } from '../../../core/index.ts';
import type { ModelPort, ModelRequest, Runtime, StartOptions } from '../../../workers/api.ts';
import { fromScript, replayExport } from '../../../workers/node.ts';
import { temporaryFolder } from '../../folder.ts';
import { openRuntime } from '../../runtime/shared.ts';

type Answer = Awaited<ReturnType<ModelPort['propose']>>;

/** Model that gives the answers in order, and in pieces of five characters when it streams. */
function speaking(answers: readonly Answer[], isStreaming = false, more: Partial<ModelPort> = {}) {
  const requests: ModelRequest[] = [];
  const port: ModelPort = {
    id: 'speaking',
    locality: { kind: 'local' },
    ...more,
    async propose(request, { onText }) {
      const answer = answers[requests.push(request) - 1];
      if (answer === undefined) throw new Error('nothing left to say');
      if (isStreaming) for (const piece of String(answer.text).match(/.{1,5}/gs) ?? []) onText?.(piece);
      return answer;
    },
  };
  return { port, requests };
}

const DONE = '{"done":true,"message":"ok"}';
const WRONG = '{"done":1}';

async function all(from: AsyncIterable<StampedEvent>): Promise<readonly StampedEvent[]> {
  const events: StampedEvent[] = [];
  for await (const event of from) events.push(event);
  return events;
}

/** Leaves a completed run in a directory, and hands it to another runtime. */
async function later(start: Partial<StartOptions>, go: (runtime: Runtime, id: string) => Promise<void>) {
  const directory = temporaryFolder();
  const before = await openRuntime({ store: { directory } });
  const run = before.start({ dialect: 'xct', task: 'Talk.', model: fromScript([DONE]), ...start });
  await run.result;
  await before.close();
  const runtime = await openRuntime({ store: { directory } });
  await go(runtime, run.id);
  await runtime.close();
}

async function played(model: ModelPort, options: Partial<StartOptions> = {}) {
  const runtime = await openRuntime();
  const run = runtime.start({ dialect: 'xct', task: 'Talk.', model, ...options });
  const telling = all(run.telemetry());
  const end = await run.result;
  const events = await telling;
  const records = await runtime.ledger.records(run.id);
  const report = await replayExport(await runtime.ledger.export(run.id));
  await runtime.close();
  return { end, records, report, events };
}

describe('the listener onText', () => {
  test('onText receives a streamed answer piece by piece, with the number of its step', async () => {
    const heard: [string, number][] = [];
    const { port } = speaking([{ text: WRONG }, { text: DONE }], true);
    await played(port, { onText: (text, step) => heard.push([text, step]) });
    const said = (step: number) => heard.flatMap(([text, at]) => (at === step ? text : [])).join('');
    expect([said(1), said(2)]).toEqual([WRONG, DONE]);
    expect(heard.length).toBeGreaterThan(4);
  });

  test('onText receives the whole answer of a model that does not stream', async () => {
    const heard: [string, number][] = [];
    await played(fromScript([DONE]), { onText: (text, step) => heard.push([text, step]) });
    expect(heard).toEqual([[DONE, 1]]);
  });

  test('onText receives no text after the answer, and its exceptions do not stop the run', async () => {
    const heard: string[] = [];
    let late: ((text: string) => void) | undefined;
    const port: ModelPort = {
      id: 'late',
      propose: async (_, { onText }) => {
        onText?.(DONE);
        late = onText;
        return { text: DONE };
      },
    };
    const listener = (text: string): void => {
      heard.push(text);
      throw new Error('a mistake of the program');
    };
    const { end } = await played(port, { onText: listener });
    late?.('more');
    expect([end.state, heard]).toEqual(['completed', [DONE]]);
  });

  test('onText receives no text after the run was aborted', async () => {
    const heard: string[] = [];
    let late: ((text: string) => void) | undefined;
    const port: ModelPort = {
      id: 'deaf',
      locality: { kind: 'local' },
      propose: (_, { onText }) => {
        late = onText;
        return new Promise(() => undefined);
      },
    };
    const runtime = await openRuntime();
    const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: port, onText: (text) => heard.push(text) });
    await expect.poll(() => late).toBeDefined();
    late?.('one');
    await run.abort();
    await run.result;
    late?.('two');
    await runtime.close();
    expect(heard).toEqual(['one']);
  });

  test('onText receives the text of a resumed run', async () => {
    const heard: string[] = [];
    await later({}, async (runtime, id) => {
      const again = await runtime.resume(id, fromScript([DONE]), { onText: (text) => heard.push(text) });
      await again.say('More.');
      await again.result;
    });
    expect(heard).toEqual([DONE]);
  });
});

describe('usage and finish of an answer', () => {
  const answered = { text: DONE, usage: { input: 70, output: 9 }, finish: 'stop' } as const;

  test('the proposal record holds usage and finish of its answer, and the run replays', async () => {
    const { records, report } = await played(speaking([answered]).port);
    const proposal = records.find(({ kind }) => kind === 'proposal');
    expect(proposal?.body).toMatchObject({ usage: { input: 70, output: 9 }, finish: 'stop' });
    expect(report.checks.map(({ id, status }) => [id, status])).toContainEqual(['replay', 'pass']);
    expect(report.ok).toBe(true);
  });

  test('telemetry reports usage and finish of an answer, and OTLP names them as GenAI does', async () => {
    const { events } = await played(speaking([answered]).port);
    const received = events.find(({ event }) => event.event_type === 'protocol_received');
    expect(received?.event).toMatchObject({ input_tokens: 70, output_tokens: 9, finish: 'stop' });
    const { traces } = toOtlp(events);
    const step = traces.resourceSpans[0].scopeSpans[0].spans.find(({ name }) => name === 'sallyport.step');
    const attributes = new Map(step?.attributes.map(({ key, value }) => [key, value]));
    expect(attributes.get('gen_ai.usage.input_tokens')).toEqual({ intValue: '70' });
    expect(attributes.get('gen_ai.usage.output_tokens')).toEqual({ intValue: '9' });
    expect(attributes.get('gen_ai.response.finish_reasons')).toEqual({
      arrayValue: { values: [{ stringValue: 'stop' }] },
    });
  });

  test.each([
    ['negative', { usage: { input: -1, output: 2 } }],
    ['no number', { usage: { input: '1', output: 2 } }],
    ['half', { usage: { input: 1 } }],
    ['nothing', { usage: null }],
    ['a word of its own', { finish: 'tired' }],
  ])('the proposal record leaves out malformed usage and finish: %s', async (_, facts) => {
    const { end, records } = await played(speaking([{ text: DONE, ...facts } as Answer]).port);
    const proposal = records.find(({ kind }) => kind === 'proposal');
    expect(end.state).toBe('completed');
    expect(Object.keys(proposal?.body ?? {}).sort()).toEqual(['payload', 'step', 'step_id']);
  });
});

describe('a request', () => {
  test('a request asks for 1024 tokens and has no seed by default', async () => {
    const { port, requests } = speaking([{ text: DONE }]);
    const { records } = await played(port);
    expect(requests[0]).toMatchObject({ maxTokens: 1024 });
    expect(requests[0]).not.toHaveProperty('seed');
    expect(records[0]?.body).toMatchObject({ limits: { answerTokens: 1024, contextBytes: 65_536 } });
  });

  test('a request carries the tokens and the seed of the start options, and the run records both', async () => {
    const { port, requests } = speaking([{ text: DONE }]);
    const { records, report } = await played(port, { seed: 7, limits: { answerTokens: 50 } });
    expect(requests[0]).toMatchObject({ maxTokens: 50, seed: 7 });
    expect(records[0]?.body).toMatchObject({ seed: 7, limits: { answerTokens: 50 } });
    expect(report.ok).toBe(true);
  });

  test('a request holds no more history than the run and the window of its model permit', async () => {
    const window = { contextBytes: 1100, maxTokens: 20 };
    const { port, requests } = speaking(
      [...Array<string>(8).fill(WRONG), DONE].map((text) => ({ text })),
      false,
      { window },
    );
    const { records } = await played(port, { limits: { contextBytes: 5000 } });
    expect(records[0]?.body).toMatchObject({ limits: { contextBytes: 1100, answerTokens: 20 } });
    for (const { messages, maxTokens } of requests) {
      const bytes = messages.slice(1).reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
      expect(bytes).toBeLessThanOrEqual(1100);
      expect(maxTokens).toBe(20);
    }
    expect(requests.at(-1)?.messages.length).toBeLessThan(16);
  });

  test('a request of a resumed run keeps to the window of its new model', async () => {
    const { port, requests } = speaking([{ text: DONE }], false, { window: { contextBytes: 100, maxTokens: 9 } });
    await later({ seed: 3 }, async (runtime, id) => {
      const again = await runtime.resume(id, port);
      await again.say('More.');
      await again.result;
    });
    expect(requests[0]).toMatchObject({ maxTokens: 9, seed: 3 });
  });

  test.each([
    ['a limit of no tokens', { limits: { answerTokens: 0 } }, 'answerTokens'],
    ['a limit that is no number', { limits: { contextBytes: '1' as unknown as number } }, 'contextBytes'],
    ['a history with no room for a task and a reply', { limits: { contextBytes: 1023 } }, 'contextBytes'],
    ['a task that leaves no room for a reply', { limits: { contextBytes: 1024 }, task: 'x'.repeat(513) }, 'task'],
  ])('a run is refused with %s', async (_, options, name) => {
    const runtime = await openRuntime();
    const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: fromScript([DONE]), ...options });
    await expect(run.result).rejects.toMatchObject({ code: 'option_invalid', details: { name } });
    await runtime.close();
  });

  test.each([
    [{ seed: -1 }, 'seed'],
    [{ seed: 0.5 }, 'seed'],
    [{ onText: 'loud' as never }, 'onText'],
    [{ model: { ...fromScript([DONE]), window: { contextBytes: 0 } } }, 'model.window.contextBytes'],
    [{ model: { ...fromScript([DONE]), window: {} as never } }, 'model.window.contextBytes'],
  ])('start throws for the option %j', async (options, name) => {
    const runtime = await openRuntime();
    const start = () => runtime.start({ dialect: 'xct', task: 'Talk.', model: fromScript([DONE]), ...options });
    expect(start).toThrowError(
      expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name }) }),
    );
    await runtime.close();
  });
});

describe('an adapter with a malformed answer', () => {
  const ofTag = { [Symbol.toStringTag]: 'Uint8Array' } as unknown as Uint8Array;
  const detached = new Uint8Array(8);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });

  test.each([
    ['an object of that name', ofTag],
    ['bytes that were given away', detached],
  ])('an answer that is %s fails as model_failed, and the run is sealed', async (_title, text) => {
    const { end, records } = await played({ id: 'odd', locality: { kind: 'local' }, propose: async () => ({ text }) });
    expect(end).toMatchObject({ state: 'failed', code: 'model_failed' });
    expect(records.at(-1)?.kind).toBe('seal');
  });

  test('the error message of an adapter is bounded and made well-formed, also for model_exhausted', async () => {
    const thrown = [
      Object.assign(new Error(`\ud800${'y'.repeat(10_000)}`), { name: 'model_exhausted' }),
      Object.assign(new Error('x'), { message: 5 }),
    ];
    const ends = await Promise.all(
      thrown.map(async (error) => {
        const propose = async () => {
          throw error;
        };
        return (await played({ id: 'odd', locality: { kind: 'local' }, propose })).end;
      }),
    );
    expect(ends[0]).toMatchObject({ code: 'model_exhausted', message: `\ufffd${'y'.repeat(2047)}` });
    expect(ends[1]).toMatchObject({ code: 'model_failed', message: '5' });
  });
});
