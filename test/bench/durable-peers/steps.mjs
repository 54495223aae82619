// Ways to make the steps of a program durable in a database: each adds two numbers at each step, and keeps the sum.

/**
 * @typedef {(name: string) => Promise<any>} Load imports a package of the peers
 * @typedef {{pool: any, address: string, path: string}} Place a pool of `pg`, its address, and a path for SQLite
 * @typedef {(steps: number) => Promise<readonly unknown[]>} Play runs so many steps, and resolves to their results
 * @typedef {{play: Play, settings: string}} Opened `settings` say how a file is written; empty for a server
 * @typedef {(load: Load, checkpointer: any) => Promise<Play>} Graph
 * @typedef {'postgres' | 'sqlite'} Database
 * @typedef {{id: string, name: string, package: string, database: Database, isGrowing?: boolean,
 *   open: (load: Load, place: Place) => Promise<Opened>}} DurablePeer a step of a growing peer writes all steps before
 */

/** @param {number} at */
const argsOf = (at) => ({ a: at, b: 7 });
/** @param {{a: number, b: number}} args */
const added = ({ a, b }) => ({ sum: a + b });

/** The sums that each side has to come to. @param {number} steps */
export const expected = (steps) => Array.from({ length: steps }, (_, at) => added(argsOf(at)));

/** A workflow whose steps are calls of a function. @type {DurablePeer} */
const dbos = {
  id: 'dbos',
  name: 'DBOS Transact',
  package: '@dbos-inc/dbos-sdk',
  database: 'postgres',
  async open(load, { pool, address }) {
    const { DBOS } = await load('@dbos-inc/dbos-sdk');
    // the pool connects by a socket, of which an address that DBOS takes cannot tell
    const systemDatabaseUrl = address.replace('@/', '@localhost/');
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl, systemDatabasePool: pool, logLevel: 'error' });
    const workflow = DBOS.registerWorkflow(
      async (/** @type {number} */ steps) => {
        const results = [];
        for (let at = 0; at < steps; at++)
          results.push(await DBOS.runStep(async () => added(argsOf(at)), { name: 'add' }));
        return results;
      },
      { name: 'adding' },
    );
    await DBOS.launch();
    return { play: (steps) => workflow(steps), settings: '' };
  },
};

/** A graph of one node, whose state is the last sum: the least that a step can write.
 * @type {Graph} */
async function smallGraph(load, checkpointer) {
  const { StateGraph, Annotation } = await load('@langchain/langgraph');
  return async (/** @type {number} */ steps) => {
    /** @type {unknown[]} */
    const results = [];
    const add = (/** @type {{at: number}} */ { at }) => {
      const result = added(argsOf(at));
      results.push(result);
      return { at: at + 1, ...result };
    };
    const graph = new StateGraph(Annotation.Root({ at: Annotation(), sum: Annotation() }))
      .addNode('add', add)
      .addEdge('__start__', 'add')
      .addConditionalEdges('add', (/** @type {{at: number}} */ { at }) => (at < steps ? 'add' : '__end__'))
      .compile({ checkpointer });
    await graph.invoke({ at: 0, sum: 0 }, configOf(steps));
    return results;
  };
}

/** An agent: a model that answers at once, a tool, and all messages as the state.
 * @type {Graph} */
async function agentGraph(load, checkpointer) {
  const { StateGraph, MessagesAnnotation } = await load('@langchain/langgraph');
  const { AIMessage, ToolMessage } = await load('@langchain/core/messages');
  return async (/** @type {number} */ steps) => {
    /** @type {unknown[]} */
    const results = [];
    let at = 0;
    const answer = () => {
      if (at === steps) return { messages: [new AIMessage('added')] };
      const call = { id: `call-${at}`, name: 'add', args: argsOf(at++), type: 'tool_call' };
      return { messages: [new AIMessage({ content: '', tool_calls: [call] })] };
    };
    const carryOut = (/** @type {any} */ { messages }) => {
      const [call] = messages.at(-1).tool_calls;
      const result = added(call.args);
      results.push(result);
      return { messages: [new ToolMessage({ content: JSON.stringify(result), tool_call_id: call.id })] };
    };
    const next = (/** @type {any} */ { messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : '__end__');
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', answer)
      .addNode('tools', carryOut)
      .addEdge('__start__', 'model')
      .addConditionalEdges('model', next)
      .addEdge('tools', 'model')
      .compile({ checkpointer });
    await graph.invoke({ messages: [{ role: 'user', content: 'Add.' }] }, configOf(steps));
    return results;
  };
}

/** Options of a run. By `sync` each step is written before the next begins; by default it begins meanwhile.
 * @param {number} steps */
function configOf(steps) {
  return { configurable: { thread_id: crypto.randomUUID() }, recursionLimit: 2 * steps + 10, durability: 'sync' };
}

/** @param {string} id @param {string} name @param {Graph} graph @param {boolean} [isGrowing] @returns {DurablePeer} */
const inPostgres = (id, name, graph, isGrowing = false) => ({
  isGrowing,
  id: `postgres-${id}`,
  name: `LangGraph.js, PostgresSaver, ${name}`,
  package: '@langchain/langgraph',
  database: 'postgres',
  async open(load, { pool }) {
    const { PostgresSaver } = await load('@langchain/langgraph-checkpoint-postgres');
    const checkpointer = new PostgresSaver(pool);
    await checkpointer.setup();
    return { play: await graph(load, checkpointer), settings: '' };
  },
});

/** @param {string} id @param {string} name @param {Graph} graph @param {boolean} [isGrowing] @returns {DurablePeer} */
const inSqlite = (id, name, graph, isGrowing = false) => ({
  isGrowing,
  id: `sqlite-${id}`,
  name: `LangGraph.js, SqliteSaver, ${name}`,
  package: '@langchain/langgraph',
  database: 'sqlite',
  async open(load, { path }) {
    const { SqliteSaver } = await load('@langchain/langgraph-checkpoint-sqlite');
    const checkpointer = SqliteSaver.fromConnString(path);
    checkpointer.setup();
    const read = (/** @type {string} */ setting) => checkpointer.db.pragma(setting, { simple: true });
    const level = ['off', 'normal', 'full', 'extra'][Number(read('synchronous'))];
    return {
      play: await graph(load, checkpointer),
      settings: `journal_mode ${read('journal_mode')}, synchronous ${level}`,
    };
  },
});

/** @type {readonly DurablePeer[]} */
export const DURABLE_PEERS = [
  dbos,
  inPostgres('small', 'one number', smallGraph),
  inPostgres('agent', 'all messages', agentGraph, true),
  inSqlite('small', 'one number', smallGraph),
  inSqlite('agent', 'all messages', agentGraph, true),
];
