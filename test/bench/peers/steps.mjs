// Ways to run the calls of a model: one tool with two numbers, a schema of zod, and a model that answers at once.

/**
 * @typedef {(name: string) => Promise<any>} Load imports a package of the peers
 * @typedef {(steps: number) => Promise<readonly unknown[]>} Play runs so many calls, and resolves to their results
 * @typedef {{name: string, package: string, open: (load: Load) => Promise<Play>}} Peer
 */

const DESCRIPTION = 'Adds two numbers.';
/** @param {number} at */
const argsOf = (at) => ({ a: at, b: 7 });
/** @param {{a: number, b: number}} args */
const added = ({ a, b }) => ({ sum: a + b });

/** The sums that each side has to come to. @param {number} steps */
export const expected = (steps) => Array.from({ length: steps }, (_, at) => added(argsOf(at)));

/** A schema of the arguments, and a function that keeps its results.
 * @param {Load} load */
async function tools(load) {
  const { z } = await load('zod');
  /** @type {unknown[]} */
  let results = [];
  return {
    schema: z.object({ a: z.number(), b: z.number() }),
    /** @param {{a: number, b: number}} args */
    add: (args) => {
      const result = added(args);
      results.push(result);
      return result;
    },
    /** The results since the last call of this function. */
    take: () => {
      const taken = results;
      results = [];
      return taken;
    },
  };
}

/** @type {Peer} */
const aiSdk = {
  name: 'AI SDK',
  package: 'ai',
  async open(load) {
    const { generateText, isStepCount, tool } = await load('ai');
    const { MockLanguageModelV4 } = await load('ai/test');
    const { schema, add, take } = await tools(load);
    const tokens = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined };
    const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: undefined } };
    const said = (/** @type {object} */ part, /** @type {string} */ reason) => {
      return { content: [part], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    };
    return async (steps) => {
      let at = 0;
      const doGenerate = async () => {
        if (at === steps) return said({ type: 'text', text: 'added' }, 'stop');
        const input = JSON.stringify(argsOf(at++));
        return said({ type: 'tool-call', toolCallId: `call-${at}`, toolName: 'add', input }, 'tool-calls');
      };
      await generateText({
        model: new MockLanguageModelV4({ doGenerate }),
        tools: {
          add: tool({
            description: DESCRIPTION,
            inputSchema: schema,
            execute: async (/** @type {any} */ args) => add(args),
          }),
        },
        stopWhen: isStepCount(steps + 1),
        prompt: 'Add.',
      });
      return take();
    };
  },
};

/** @type {Peer} */
const langGraph = {
  name: 'LangGraph.js',
  package: '@langchain/langgraph',
  async open(load) {
    const { StateGraph, MessagesAnnotation } = await load('@langchain/langgraph');
    const { ToolNode } = await load('@langchain/langgraph/prebuilt');
    const { AIMessage } = await load('@langchain/core/messages');
    const { tool } = await load('@langchain/core/tools');
    const { schema, add, take } = await tools(load);
    const adding = tool(async (/** @type {any} */ args) => JSON.stringify(add(args)), {
      name: 'add',
      description: DESCRIPTION,
      schema,
    });
    return async (steps) => {
      let at = 0;
      const answer = async () => {
        if (at === steps) return { messages: [new AIMessage('added')] };
        const call = { id: `call-${at}`, name: 'add', args: argsOf(at++), type: 'tool_call' };
        return { messages: [new AIMessage({ content: '', tool_calls: [call] })] };
      };
      const next = (/** @type {any} */ state) => (state.messages.at(-1).tool_calls?.length > 0 ? 'tools' : '__end__');
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('model', answer)
        .addNode('tools', new ToolNode([adding]))
        .addEdge('__start__', 'model')
        .addConditionalEdges('model', next)
        .addEdge('tools', 'model')
        .compile();
      await graph.invoke({ messages: [{ role: 'user', content: 'Add.' }] }, { recursionLimit: 2 * steps + 10 });
      return take();
    };
  },
};

/** @type {Peer} */
const openAiAgents = {
  name: 'OpenAI Agents',
  package: '@openai/agents',
  async open(load) {
    const { Agent, Runner, tool, Usage, setTracingDisabled } = await load('@openai/agents');
    setTracingDisabled(true);
    const { schema, add, take } = await tools(load);
    const execute = async (/** @type {any} */ args) => add(args);
    const adding = tool({ name: 'add', description: DESCRIPTION, parameters: schema, execute });
    const text = { type: 'output_text', text: 'added' };
    const done = { type: 'message', role: 'assistant', status: 'completed', content: [text] };
    return async (steps) => {
      let at = 0;
      const next = () => {
        if (at === steps) return done;
        const input = JSON.stringify(argsOf(at++));
        return { type: 'function_call', callId: `call-${at}`, name: 'add', arguments: input, status: 'completed' };
      };
      const model = { getResponse: async () => ({ usage: new Usage(), output: [next()] }) };
      const agent = new Agent({ name: 'adder', instructions: 'Add.', model, tools: [adding] });
      await new Runner({ tracingDisabled: true }).run(agent, 'Add.', { maxTurns: steps + 5 });
      return take();
    };
  },
};

/** @type {Peer} */
const mastra = {
  name: 'Mastra',
  package: '@mastra/core',
  async open(load) {
    const { Agent } = await load('@mastra/core/agent');
    const { createTool } = await load('@mastra/core/tools');
    const { schema, add, take } = await tools(load);
    const execute = async (/** @type {any} */ given) => add(given.context ?? given);
    const adding = createTool({ id: 'add', description: DESCRIPTION, inputSchema: schema, execute });
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const answer = (/** @type {object} */ part, /** @type {string} */ finishReason) => {
      return { content: [part], finishReason, usage, warnings: [] };
    };
    return async (steps) => {
      let at = 0;
      const doGenerate = async () => {
        if (at === steps) return answer({ type: 'text', text: 'added' }, 'stop');
        const input = JSON.stringify(argsOf(at++));
        return answer({ type: 'tool-call', toolCallId: `call-${at}`, toolName: 'add', input }, 'tool-calls');
      };
      const model = {
        specificationVersion: 'v2',
        provider: 'instant',
        modelId: 'instant',
        supportedUrls: {},
        doGenerate,
      };
      const agent = new Agent({ name: 'adder', id: 'adder', instructions: 'Add.', model, tools: { add: adding } });
      await agent.generate('Add.', { maxSteps: steps + 1 });
      return take();
    };
  },
};

export const STEP_PEERS = [aiSdk, langGraph, openAiAgents, mastra];
