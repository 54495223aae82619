import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { canonicalText } from '../../core/index.ts';
import { createEngine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { type Adding, BUILT_IN, expected, REGISTERED } from './adding.ts';
import { assertAdded, openHere, play } from './ours.ts';
import { race, type Side } from './race.ts';
import { type Goal, type Row, rowsOf } from './table.ts';

/** Steps of a run, and the goal: a step of the AI SDK is a plain call at first, and grows with the run. */
const RUNS: readonly (readonly [adding: Adding, steps: number, goal?: Goal])[] = [
  [BUILT_IN, 100, { ratio: 2.2 }],
  [BUILT_IN, 1000, { ratio: 0.5 }],
  [REGISTERED, 100],
];

/** Runs of many calls without a disk, to the seal. AI SDK 7 does not isolate a call or record it. */
export async function step(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [adding, steps, goal] of RUNS) {
    const sides = [await sallyport(wasm, adding, steps), await aiSdk(adding, steps)];
    const raced = await race(sides, steps > 100 ? rounds >> 1 : rounds);
    rows.push(...rowsOf(`step without disk, N = ${steps}, ${adding.name}`, raced, goal));
  }
  return rows;
}

/** Steps before the first sample. */
const WARM = 400;

async function sallyport(wasm: Uint8Array, adding: Adding, steps: number): Promise<Side> {
  const engine = await createEngine({ wasm });
  const runtime = await openHere(engine, openMemoryStore(), adding);
  await assertAdded(runtime, (await play(runtime, adding, steps)).run_id, adding, steps);
  for (let warm = 0; warm < WARM; warm += steps) await play(runtime, adding, steps);
  return { name: 'sallyport', sample: async () => ((await play(runtime, adding, steps)).ms * 1000) / steps };
}

async function aiSdk(adding: Adding, steps: number): Promise<Side> {
  const results = canonicalText((await generate(adding, steps)).map(canonicalText));
  if (results !== canonicalText(expected(adding, steps))) throw new Error('the AI SDK came to other results');
  for (let warm = 0; warm < WARM; warm += steps) await generate(adding, steps);
  return {
    name: `AI SDK 7 generateText`,
    async sample() {
      const start = performance.now();
      await generate(adding, steps);
      return ((performance.now() - start) * 1000) / steps;
    },
  };
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** The AI SDK as its documentation shows it: one tool, a loop, an instant model. */
async function generate({ definition, args, tool: add }: Adding, steps: number): Promise<readonly unknown[]> {
  const inputs = Array.from({ length: steps }, (_, at) => JSON.stringify(args(at + 1)));
  let asked = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const input = inputs[asked++];
      return input === undefined
        ? {
            content: [{ type: 'text', text: 'added' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: USAGE,
            warnings: [],
          }
        : {
            content: [{ type: 'tool-call', toolCallId: `call-${asked}`, toolName: 'add', input }],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage: USAGE,
            warnings: [],
          };
    },
  });
  const done = await generateText({
    model,
    tools: {
      add: tool({
        description: definition.description,
        inputSchema: jsonSchema(definition.args as object),
        execute: async (input) => add(input as never),
      }),
    },
    stopWhen: isStepCount(steps + 1),
    prompt: 'Add.',
  });
  return done.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as unknown));
}
