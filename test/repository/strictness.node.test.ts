import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { generateText, isStepCount, jsonSchema, type ToolSet, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toolsFor } from '../../workers/ai.ts';
import { defineCapability, fromScript, type LedgerRecord, openRuntime } from '../../workers/node.ts';

// The table of `web/docs/strictness.md` holds the results of these calls, here and in the AI SDK: a row for each, in
// order.

interface BadCall {
  readonly what: string;
  /** The arguments that the model wrote, as text. */
  readonly input: string;
  readonly name?: string;
  /** The whole proposal, when it is not only a call with these arguments. */
  readonly proposal?: string | Uint8Array;
}

const SCHEMA = {
  type: 'object',
  required: ['a'],
  additionalProperties: false,
  properties: { a: { type: 'number' }, note: { type: 'string' } },
} as const;

const call = (input: string, name = 'add') => `{"tool_call":{"tool":"${name}","args":${input}}}`;
const DEEP = `{"a":1,"note":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;

const CALLS: readonly BadCall[] = [
  { what: '`{"a":"1"}`: a wrong type', input: '{"a":"1"}' },
  { what: '`{"a":1,"b":2}`: a property that the schema forbids', input: '{"a":1,"b":2}' },
  { what: '`{}`: a required one is missing', input: '{}' },
  { what: '`{"a":1,"a":2}`: a member twice', input: '{"a":1,"a":2}' },
  { what: '`"{\\"a\\":1}"`: arguments as a string', input: '"{\\"a\\":1}"' },
  { what: '`[1]`: arguments as a list', input: '[1]' },
  { what: '`null`', input: 'null' },
  { what: 'no text at all', input: '' },
  { what: '`{"a":1,}`: a comma too many', input: '{"a":1,}' },
  { what: '`{"a":1} Done.`: text behind the call', input: '{"a":1} Done.', proposal: `${call('{"a":1}')} Done.` },
  {
    what: 'a fence of backticks around it',
    input: '```json\n{"a":1}\n```',
    proposal: `\`\`\`json\n${call('{"a":1}')}\n\`\`\``,
  },
  { what: '`{"a":1}{"a":2}`: two calls', input: '{"a":1}{"a":2}', proposal: call('{"a":1}') + call('{"a":2}') },
  { what: '`{"a":1,"__proto__":{"admin":true}}`', input: '{"a":1,"__proto__":{"admin":true}}' },
  { what: '`{"a":9007199254740993}`: an integer no double holds', input: '{"a":9007199254740993}' },
  { what: '`{"a":1e400}`: a number beyond every double', input: '{"a":1e400}' },
  { what: '`{"a":1,"note":"\\ud800"}`: half of a surrogate pair', input: '{"a":1,"note":"\\ud800"}' },
  { what: '50,000 lists in each other as `note`', input: DEEP },
  { what: 'a tool that is not there', name: 'remove', input: '{"a":1}' },
  { what: '`Add` for `add`', name: 'Add', input: '{"a":1}' },
];

/** An adapter turns bytes into text before the AI SDK sees them, so that a comparison is not possible. */
const BYTES: BadCall = { what: 'bytes that are not UTF-8', input: '', proposal: new Uint8Array([0x7b, 0xff, 0x7d]) };

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

function says(calls: readonly BadCall[]): MockLanguageModelV4 {
  const left = calls.map(({ name = 'add', input }) => ({
    type: 'tool-call' as const,
    toolCallId: '1',
    toolName: name,
    input,
  }));
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const said = left.shift();
      const unified = said === undefined ? ('stop' as const) : ('tool-calls' as const);
      const content = said === undefined ? [{ type: 'text' as const, text: 'over' }] : [said];
      return { content, finishReason: { unified, raw: unified }, usage: USAGE, warnings: [] };
    },
  });
}

const ran = (args: unknown): string => `ran with \`${inspect(args, { breakLength: Number.POSITIVE_INFINITY })}\``;

/** The AI SDK as its documentation shows it: a tool and a loop. */
async function inAiSdk(bad: BadCall, inputSchema: ToolSet[string]['inputSchema']): Promise<string> {
  const given: unknown[] = [];
  const add = tool({ description: 'Adds.', inputSchema, execute: async (args: unknown) => given.push(args) });
  try {
    await generateText({ model: says([bad]), tools: { add }, stopWhen: isStepCount(2), prompt: 'Add.' });
  } catch (error) {
    return `throws \`${(error as Error).name}\``;
  }
  return given.length === 0 ? 'refused' : ran(given[0]);
}

const add = defineCapability({
  name: 'add',
  version: '1.0.0',
  description: 'Adds.',
  effect: 'pure',
  args: SCHEMA,
  source: 'export default (args) => args;',
});

/** All calls in one loop of the AI SDK over the tools of a session: the code of each receipt, or `ran`. */
async function beneathAiSdk(calls: readonly BadCall[]): Promise<string[]> {
  const runtime = await openRuntime({ capabilities: [add], grants: [{ capability: 'add', mode: 'allow' }] });
  const session = runtime.openSession();
  const { tools, middleware } = await toolsFor(session, { tool, jsonSchema });
  const model = wrapLanguageModel({ model: says([...calls, { what: 'a good call', input: '{"a":1}' }]), middleware });
  await generateText({ model, tools, stopWhen: isStepCount(calls.length + 2), prompt: 'Add.' });
  await session.close();
  const came = codesIn(await runtime.ledger.records(session.run.id));
  await runtime.close();
  expect(came.pop()).toBe('ran');
  return came;
}

function codesIn(records: readonly LedgerRecord[]): string[] {
  return records.flatMap(({ kind, body }) => {
    if (kind !== 'receipt') return [];
    const { reason } = body.evidence;
    return [reason === undefined ? 'ran' : `refused: \`${reason.code}\``];
  });
}

/** All calls in one run: the code of each receipt, or `ran`. */
async function inSallyport(calls: readonly BadCall[]): Promise<string[]> {
  const runtime = await openRuntime({ capabilities: [add], grants: [{ capability: 'add', mode: 'allow' }] });
  const said = calls.map(({ name, input, proposal }) => proposal ?? call(input, name));
  const model = fromScript([...said, call('{"a":1}'), '{"message":{"content":"over"}}']);
  const limits = { refusalsInRow: said.length + 1 };
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Add.', model, limits });
  await run.result;
  const came = codesIn(await runtime.ledger.records(run.id));
  await runtime.close();
  // The correct calls ran, so that no missing grant refused the bad calls.
  expect(came.splice(-2)).toEqual(['ran', 'ran']);
  return came;
}

const zod = z.object({ a: z.number(), note: z.string().optional() });
const strictZod = z.strictObject({ a: z.number(), note: z.string().optional() });

function published(file: string): readonly (readonly string[])[] {
  const text = readFileSync(file, 'utf8');
  const [, table = ''] = /\n(\| what the model says[^\n]*\n(?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

test('the documentation gives the result of each bad call, in Sallyport and in the AI SDK', async () => {
  const ours = await inSallyport([...CALLS, BYTES]);
  const beneath = await beneathAiSdk(CALLS);
  const rows: string[][] = [];
  for (const [at, bad] of CALLS.entries()) {
    const cells = [await inAiSdk(bad, zod), await inAiSdk(bad, jsonSchema(SCHEMA))];
    rows.push([bad.what, ours[at] ?? '', ...cells, beneath[at] ?? '']);
  }
  rows.push([BYTES.what, ours.at(-1) ?? '', 'given text', 'given text', 'given text']);
  expect(published('web/docs/strictness.md')).toEqual(rows);
});

test('a strict schema of zod refuses only the additional member that a plain one drops', async () => {
  const differs: string[] = [];
  for (const bad of CALLS) {
    if ((await inAiSdk(bad, strictZod)) !== (await inAiSdk(bad, zod))) differs.push(bad.input);
  }
  expect(differs).toEqual(['{"a":1,"b":2}']);
});

test('the documentation names the version of the AI SDK that is tested', () => {
  const { version } = JSON.parse(readFileSync('node_modules/ai/package.json', 'utf8')) as { version: string };
  expect(readFileSync('web/docs/strictness.md', 'utf8')).toContain(`AI SDK ${version}`);
});
