import pg from 'pg';
import { defineTool, openRuntime } from 'sallyport/node';
import { openPostgres } from 'sallyport/postgres';
import { standIn } from './stand-in.js';

/** Interval at which a process looks for runs that no process has. */
const LOOK_MS = 1_000;

/** Time that another process has to let go of a run. */
const TAKE_MS = 15_000;

/** Time that the calls at work have to end when the process is asked to end. */
const END_MS = 10_000;

/**
 * Opens the log of each person, and goes on with every run that another process has left. `signers` has, by the names of
 * people, the passkeys that sign their yes to a shipment.
 */
export async function openAgents(connectionString, { names, signers }) {
  // The database lists its connections with the process of each.
  const application_name = `agents ${process.pid}`;
  const pool = new pg.Pool({
    connectionString,
    application_name,
    query_timeout: 20_000,
    connectionTimeoutMillis: 10_000,
  });
  await pool.query('create table if not exists shipment (step_id text, item text)').catch(unlessThere);
  const all = new Map();
  for (const name of names) {
    const by = signers[name] ?? [];
    const agents = new Agents(await openLog(pool, name, by), by);
    setInterval(() => agents.takeUp().catch(report), LOOK_MS);
    all.set(name, agents);
  }
  return all;
}

/** A log of one person alone: no run, question, answer, count or stored value of another is in it. */
async function openLog(pool, name, by) {
  return openRuntime({
    store: await openPostgres({ pool, log: `orders_${name}` }),
    tools: [stock, shipTo(pool)],
    grants: [
      { capability: 'order.stock', mode: 'allow' },
      { capability: 'order.ship', mode: 'ask', ...(by.length > 0 && { signed: { by } }) },
    ],
  });
}

const ITEM = {
  type: 'object',
  required: ['item'],
  additionalProperties: false,
  properties: { item: { type: 'string' } },
};

const stock = defineTool({
  name: 'order.stock',
  version: '1.0.0',
  description: 'Counts the pieces of an item in stock.',
  effect: 'read',
  labels: [],
  args: ITEM,
  run: async ({ item }) => item.length,
});

/** A tool whose effect is a row. `step_id` is the same for a call in every process, and no other call has it. */
const shipTo = (pool) =>
  defineTool({
    name: 'order.ship',
    version: '1.0.0',
    description: 'Ships one piece of an item.',
    effect: 'write',
    labels: [],
    args: ITEM,
    run: async ({ item }, { step_id }) => {
      await pool.query('insert into shipment (step_id, item) values ($1, $2)', [step_id, item]);
      return { shipped: item };
    },
  });

/** The agents of one person in this process. */
class Agents {
  #runtime;
  /** Runs that this process writes. The claims of the store decide; this map holds the handles. */
  #runs = new Map();
  #isLooking = false;
  #by;

  constructor(runtime, by) {
    this.#runtime = runtime;
    this.#by = by;
  }

  /** Starts a run, and returns its id once its first record is in the ledger. */
  async start(task) {
    const run = this.#runtime.start({ dialect: 'xct', task, model: standIn() });
    this.#hold(run);
    for await (const _ of run.records()) break;
    return run.id;
  }

  async list() {
    return (await this.#runtime.runs()).map(({ run_id, at, records, sealed, ended }) => {
      return { run_id, at, records, sealed, ended };
    });
  }

  /** Records of a run as any process writes them, to its seal. */
  follow(run_id, signal) {
    return this.#runtime.follow(run_id, { signal });
  }

  /** Question that waits for a person, as the ledger has it. Undefined without a question. */
  async question(run_id) {
    const records = await this.#runtime.ledger.records(run_id);
    const questions = records.filter(({ kind }) => kind === 'approval');
    const asked = questions.at(-1)?.body;
    if (asked?.event !== 'asked' || records.at(-1).kind === 'seal') return undefined;
    const args = await this.#runtime.ledger.payload(run_id, asked.args);
    const { digest, step_id, capability, capability_hash, effect } = asked;
    const reason = 'The grant says to ask.';
    return {
      run_id,
      step_id,
      capability,
      capability_hash,
      effect,
      digest,
      reason,
      ...(this.#by.length > 0 && { signed: { by: this.#by, of: 1, parts: [] } }),
      args: new TextDecoder().decode(args),
    };
  }

  /** Answers a question, in whichever process it was asked: this process takes the run over. */
  async answer(run_id, digest, words) {
    const run = this.#runs.get(run_id) ?? this.#hold(await this.#take(run_id));
    await run.answer(digest, words);
    await run.run();
  }

  /** Takes up each run that has not ended and that no process has. */
  async takeUp() {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const { run_id, sealed, elsewhere } of await this.#runtime.runs()) {
        if (sealed || elsewhere || this.#runs.has(run_id)) continue;
        // Another process may have been faster: its claim refuses this one with `run_open`.
        const run = await this.#runtime.resume(run_id, standIn()).catch(() => undefined);
        if (run !== undefined) void this.#hold(run).run().catch(ignore);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Lets go of every run behind its call at work, so that another process goes on with it. */
  async suspend() {
    await this.#runtime.close({ suspend: true, signal: AbortSignal.timeout(END_MS) });
  }

  /** Takes a run over from another process. The signal limits the wait alone: later it would end the run. */
  async #take(run_id) {
    const wait = new AbortController();
    const late = setTimeout(() => wait.abort(), TAKE_MS);
    try {
      return await this.#runtime.resume(run_id, standIn(), { takeOver: true, signal: wait.signal });
    } finally {
      clearTimeout(late);
    }
  }

  #hold(run) {
    this.#runs.set(run.id, run);
    const leave = () => this.#runs.get(run.id) === run && this.#runs.delete(run.id);
    // A run that another process took over rejects with `run_open`.
    run.result.then(leave, leave);
    return run;
  }
}

/** Two processes may make the table at the same moment. */
function unlessThere(error) {
  if (!['42P07', '23505'].includes(error.code)) throw error;
}

/** A server of PostgreSQL that is away is asked again. */
function report(error) {
  process.stderr.write(`${error.message}\n`);
}

function ignore() {}
