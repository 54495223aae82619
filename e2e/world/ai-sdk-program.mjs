// Run by `ai-sdk.spec.ts` beside a version of the AI SDK: `node program.mjs model|tools|ask|answer …`, with its result as
// JSON in the last line.
import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as ai from 'ai';
import { fromLanguageModel, toolsFor } from 'sallyport/ai';
import { defineTool, openRuntime } from 'sallyport/node';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [, , what, generation, directory, run_id] = process.argv;

const object = (properties) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});
const number = { type: 'number' };
const common = { version: '1.0.0', description: 'For a test.' };
const ran = [];
const done = (value) => {
  ran.push(value);
  return value;
};
const tools = [
  defineTool({
    ...common,
    name: 'math.add',
    effect: 'pure',
    args: object({ a: number, b: number }),
    run: ({ a, b }) => done(a + b),
  }),
  defineTool({
    ...common,
    name: 'mail.send',
    effect: 'egress',
    labels: [],
    args: object({ text: { type: 'string' } }),
    run: ({ text }) => done(`sent ${text}`),
  }),
  defineTool({ ...common, name: 'wipe', effect: 'write', args: object({}), run: () => done('wiped') }),
];
const grants = [
  { capability: 'math.add', mode: 'allow' },
  { capability: 'mail.send', mode: 'ask' },
  { capability: 'wipe', mode: 'deny' },
];

/** A local server of OpenAI's protocol, which gives these answers in order, streamed where the request wants it. */
async function serve(script) {
  const requests = [];
  const answer = async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    const { content = null, calls } = script[requests.length] ?? {};
    requests.push(body);
    if (requests.length > script.length) return response.writeHead(400).end('{"error":{"message":"no more answers"}}');
    const list = calls?.map(([name, args], index) => ({
      index,
      id: `call_${requests.length}_${index}`,
      type: 'function',
      function: { name, arguments: args },
    }));
    const finish_reason = list ? 'tool_calls' : 'stop';
    const head = { id: 'c', created: 1, model: 'm' };
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    if (!body.stream) {
      const message = { role: 'assistant', content, ...(list && { tool_calls: list }) };
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({ ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }),
      );
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (delta, more = {}) => {
      const choices = delta ? [{ index: 0, delta, finish_reason: null, ...more }] : [];
      response.write(
        `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...(delta ? {} : { usage }) })}\n\n`,
      );
    };
    send({ role: 'assistant', reasoning_content: 'Let me think.' });
    for (const piece of content?.match(/[\s\S]{1,12}/g) ?? []) send({ content: piece });
    for (const call of list ?? []) {
      send({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] });
      for (const piece of call.function.arguments.match(/[\s\S]{1,9}/g) ?? [])
        send({ tool_calls: [{ index: call.index, function: { arguments: piece } }] });
    }
    send({}, { finish_reason });
    send();
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
  const model = createOpenAICompatible({ name: 'local', baseURL, supportsStructuredOutputs: true })('m');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { model, requests, close };
}

const codesIn = (records) =>
  records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.evidence.reason?.code ?? 'SUCCESS'] : []));

/** The end of a run over a model of the SDK, its codes, usage and reasoning. */
async function runOver(runtime, model, mode, dialect) {
  const [texts, thoughts] = [[], []];
  const port = fromLanguageModel(model, { origin: 'local', mode, onReasoning: (text) => thoughts.push(text) });
  const run = runtime.start({ dialect, task: 'Add.', model: port, onText: (text) => texts.push(text) });
  const { state, message, said } = await run.result;
  const records = await runtime.ledger.records(run.id);
  const { usage } = records.find(({ kind }) => kind === 'proposal')?.body ?? {};
  return { state, message, said, codes: codesIn(records), usage, thoughts: thoughts.join(''), texts: texts.length > 1 };
}

/** The official mock of this generation, which streams a call and then an answer. */
async function mock() {
  const mocks = await import('ai/test');
  const [name, version] = {
    5: ['MockLanguageModelV2', 2],
    6: ['MockLanguageModelV3', 3],
    7: ['MockLanguageModelV4', 4],
  }[generation];
  const tokens = (total) => (version === 2 ? total : { total });
  const answers = [
    [{ type: 'tool-call', toolCallId: 'c', toolName: 'math_add', input: '{"a":2,"b":3}' }],
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'It is 5.' },
      { type: 'text-end', id: 't' },
    ],
  ];
  const doStream = async () => {
    const parts = answers.shift();
    const reason = answers.length > 0 ? 'tool-calls' : 'stop';
    const finishReason = version === 2 ? reason : { unified: reason, raw: reason };
    const usage = { inputTokens: tokens(11), outputTokens: tokens(7) };
    return {
      stream: ReadableStream.from([
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason, usage },
      ]),
    };
  };
  return new mocks[name]({ doStream });
}

async function model() {
  const runtime = await openRuntime({ tools, grants });
  const results = {};
  const jsonOf = {
    xct: { next_step: { tool: 'math.add', arguments: { a: 2, b: 3 }, goal: 'add' } },
    femtoclaw: { tool_call: { tool: 'math.add', args: { a: 2, b: 3 } } },
  };
  const endOf = { xct: { done: true, message: 'It is 5.' }, femtoclaw: { message: { content: 'It is 5.' } } };
  for (const dialect of ['xct', 'femtoclaw']) {
    const called = [
      { calls: [['math_add', '{"a":1,"a":2,"b":3}']] },
      {
        calls: [
          ['math_add', '{"a":1,"b":2}'],
          ['math_add', '{"a":3,"b":4}'],
        ],
      },
      { calls: [['math_add', '{"a":2,"b":3}']] },
      { content: 'It is 5.' },
    ];
    const written = [
      { content: JSON.stringify({ proposal: jsonOf[dialect] }) },
      { content: JSON.stringify(endOf[dialect]) },
    ];
    const scripts = { tools: called, json: written };
    for (const mode of ['tools', 'json']) {
      const server = await serve(scripts[mode]);
      const result = await runOver(runtime, server.model, mode, dialect);
      const formats = server.requests.map(
        ({ response_format: format, tools: list }) => format?.json_schema?.name ?? list?.[0]?.function.name,
      );
      results[`${dialect} ${mode}`] = { ...result, formats };
      server.close();
    }
  }
  results.mock = await runOver(runtime, await mock(), 'tools', 'xct');
  const refusing = await serve([]);
  results.refused = await runOver(runtime, refusing.model, 'tools', 'xct');
  refusing.close();
  await runtime.close();
  return results;
}

const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(9);

/** The model of a server behind the middleware, as each version wraps it. */
const wrap = (inner, middleware) => ai.wrapLanguageModel({ model: inner, middleware });

async function inTools() {
  const results = {};
  const bad = [
    {
      calls: [
        ['math_add', '{"a":1,"b":2}'],
        ['math_add', '{"a":1,"a":2,"b":3}'],
        ['math_add', '{"a":"1","b":2}'],
      ],
    },
    {
      calls: [
        ['math_add', '{"a":1,'],
        ['subtract', '{}'],
        ['wipe', '{}'],
        ['mail_send', '{"text":"Hi."}'],
      ],
    },
    { content: 'Over.' },
  ];
  for (const loop of ['generateText', 'streamText', 'agent']) {
    const asked = [];
    const repairs = [];
    const approve = async ({ args }) => (asked.push(args), { approved: true });
    const runtime = await openRuntime({ tools, grants });
    const session = runtime.openSession({ label: 'ai-sdk', approve });
    const server = await serve(bad);
    const made = await toolsFor(session, ai);
    const experimental_repairToolCall = async ({ toolCall }) => (repairs.push(toolCall.toolName), null);
    const settings = {
      model: wrap(server.model, made.middleware),
      tools: made.tools,
      stopWhen,
      experimental_repairToolCall,
    };
    const Agent = ai.ToolLoopAgent ?? ai.Experimental_Agent;
    const result =
      loop === 'agent'
        ? await new Agent(settings).generate({ prompt: 'Go.' })
        : loop === 'streamText'
          ? ai.streamText({ ...settings, prompt: 'Go.' })
          : await ai.generateText({ ...settings, prompt: 'Go.' });
    const text = await result.text;
    const told = server.requests
      .at(-1)
      .messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    await session.close();
    const records = await runtime.ledger.records(session.run.id);
    const { ok } = await runtime.ledger.verify(session.run.id);
    results[loop] = {
      text,
      told,
      asked,
      repairs,
      ran: ran.splice(0),
      codes: codesIn(records),
      ok,
      receipts: made.receipts.size,
    };
    await runtime.close();
    server.close();
  }
  return results;
}

/** The first request: the message of the assistant as a page has it, with the question. */
async function ask() {
  const runtime = await openRuntime({ store: { directory }, tools, grants });
  const session = runtime.openSession({ label: 'ai-sdk' });
  const server = await serve([
    {
      calls: [
        ['mail_send', '{"text":"Hi."}'],
        ['math_add', '{"a":1,"b":2}'],
      ],
    },
  ]);
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Send.' }] }];
  const assistant = await streamed(session, server, messages);
  return { run_id: session.run.id, messages: [...messages, assistant], ran };
}

async function streamed(session, server, messages) {
  const made = await toolsFor(session, ai, { approvals: generation === '6' ? 'sdk' : 'session' });
  const approval = generation === '7' ? { toolApproval: made.toolApproval } : {};
  const { middleware, tools: theirs } = made;
  const prompt = await ai.convertToModelMessages(messages);
  const result = ai.streamText({
    model: wrap(server.model, middleware),
    tools: theirs,
    messages: prompt,
    stopWhen,
    ...approval,
  });
  const last = messages.at(-1);
  const before = last.role === 'assistant' ? { message: last } : {};
  let assistant;
  for await (const message of ai.readUIMessageStream({
    ...before,
    stream: result.toUIMessageStream({ originalMessages: messages }),
  }))
    assistant = message;
  return assistant;
}

/** The next request, of another process: the page sends its messages with the answer of a person. */
async function answer() {
  const runtime = await openRuntime({ store: { directory }, tools, grants });
  const session = runtime.openSession({ resume: run_id });
  const results = [];
  for (const messages of JSON.parse(process.env.REQUESTS)) {
    const server = await serve([{ content: 'Over.' }]);
    await streamed(session, server, messages);
    results.push(server.requests[0].messages.filter(({ role }) => role === 'tool').map(({ content }) => content));
    server.close();
  }
  await session.close();
  const codes = codesIn(await runtime.ledger.records(run_id));
  const { ok } = await runtime.ledger.verify(run_id);
  await runtime.close();
  return { results, ran, codes, ok };
}

const result = await { model, tools: inTools, ask, answer }[what]();
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));
