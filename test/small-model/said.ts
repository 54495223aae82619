import { sha256Text } from '../../core/hash.ts';
import { withFiles } from '../../sandbox/capabilities/index.ts';
import type { ModelMessage, ModelPort, ModelRequest } from '../../workers/api.ts';

/** Hash of the tokens that the shipped weights say in every engine and thread: see `saidBy`. */
export const SAID = '1b3a0ef294889387fee0d61d83ad244c501ad6f537e83e5c18498ae1b649f859';

/** Tasks whose proposals the hash is over. The last is in nobody's words: what it says differs with the weights. */
export const TASKS: readonly string[] = [
  'What is 17 + 25?',
  'note milk: buy two pints',
  '¿Cuántos?',
  'brum 77 of 3.5 tandem, 912 then Ghent under file',
];

const tools = withFiles({}).map(({ name, description, args }) => ({ name, description, args }));

export const object = (properties: object): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** A schema as the runtime makes it. */
const proposalSchema = {
  oneOf: [
    ...tools.map(({ name, args }) =>
      object({ next_step: object({ tool: { const: name }, arguments: args, goal: { type: 'string' } }) }),
    ),
    object({ done: { const: true }, message: { type: 'string' } }),
  ],
} as unknown as ModelRequest['proposalSchema'];

/** A request as the runtime makes it for the first step of a task. */
export function request(task: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly ModelMessage[] = [{ role: 'user', kind: 'task', content: task }];
  return { messages, dialect: 'xct', tools, proposalSchema, maxTokens: 1024, ...more };
}

/** The hash of the proposals to all tasks, the likeliest and those drawn with a seed. */
export async function saidBy(open: (seed?: number) => Promise<ModelPort>): Promise<string> {
  const { signal } = new AbortController();
  const said: unknown[] = [];
  for (const seed of [undefined, 7, 8]) {
    const model = await open(seed);
    for (const task of TASKS) {
      const { text, usage, finish } = await model.propose(request(task, { maxTokens: 40 }), { signal });
      said.push({ text, usage, finish });
    }
  }
  return sha256Text(JSON.stringify(said));
}
