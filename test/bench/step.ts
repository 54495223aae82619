import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { canonicalText } from '../../core/index.ts';
import { createEngine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { type Adding, BUILT_IN, expected, REGISTERED } from './adding.ts';
import { assertAdded, openHere, play } from './ours.ts';
import { race, type Side } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const STEPS = 100;

/** A run of a hundred calls without a disk, to the seal. AI SDK 7 does not validate, isolate or prove. */
export async function step(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [adding, ...goals] of [[BUILT_IN, { ratio: 0.6 }], [REGISTERED]] as const) {
    const raced = await race([await sallyport(wasm, adding), await aiSdk(adding)], rounds);
    rows.push(...rowsOf(`step without disk, N = ${STEPS}, ${adding.name}`, raced, ...goals));
  }
  return rows;
}

async function sallyport(wasm: Uint8Array, adding: Adding): Promise<Side> {
  const engine = await createEngine({ wasm });
  const runtime = await openHere(engine, openMemoryStore(), adding);
  await assertAdded(runtime, (await play(runtime, adding, STEPS)).run_id, adding, STEPS);
  for (let warm = 0; warm < 4; warm++) await play(runtime, adding, STEPS);
  return { name: 'sallyport', sample: async () => ((await play(runtime, adding, STEPS)).ms * 1000) / STEPS };
}

async function aiSdk(adding: Adding): Promise<Side> {
  const results = canonicalText((await generate(adding)).map(canonicalText));
  if (results !== canonicalText(expected(adding, STEPS))) throw new Error('the AI SDK came to other results');
  for (let warm = 0; warm < 4; warm++) await generate(adding);
  return {
    name: `AI SDK 7 generateText`,
    async sample() {
      const start = performance.now();
      await generate(adding);
      return ((performance.now() - start) * 1000) / STEPS;
    },
  };
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** The AI SDK as its documentation shows it: one tool, a loop, an instant model. */
async function generate({ definition, args, tool: add }: Adding): Promise<readonly unknown[]> {
  const inputs = Array.from({ length: STEPS }, (_, at) => JSON.stringify(args(at + 1)));
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
  const { steps } = await generateText({
    model,
    tools: {
      add: tool({
        description: definition.description,
        inputSchema: jsonSchema(definition.args as object),
        execute: async (input) => add(input as never),
      }),
    },
    stopWhen: isStepCount(STEPS + 1),
    prompt: 'Add.',
  });
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as unknown));
}
