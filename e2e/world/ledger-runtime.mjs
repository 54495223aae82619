// A runtime on a ledger that several processes use: a file of SQLite, or a log in PostgreSQL. Its tool adds a line to a
// file for each effect.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineTool, openRuntime } from '../../dist/node.js';

/** @param {string} place file of SQLite, or `log=NAME ADDRESS` of PostgreSQL with the folder of its driver in `SALLYPORT_PG`
 * @param {string} effects file */
export async function openLedger(place, effects) {
  const write = defineTool({
    name: 'note.write',
    version: '1.0.0',
    description: 'Adds a line.',
    effect: 'write',
    labels: [],
    args: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    run: async ({ n }, { step_id }) => {
      appendFileSync(effects, `${step_id} ${n}\n`);
      return n;
    },
  });
  const { store, end } = await openStore(place);
  const runtime = await openRuntime({ store, tools: [write], grants: [{ capability: 'note.write', mode: 'allow' }] });
  return {
    runtime,
    /** Closes the runtime, and the connections under it. */
    close: async () => {
      await runtime.close();
      await end();
    },
  };
}

/** @param {string} place */
async function openStore(place) {
  const [, log, address] = /^log=(.+?) (postgres:.*)$/.exec(place) ?? [];
  if (log === undefined)
    return { store: (await import('../../dist/sqlite.js')).openSqlite({ path: place }), end: async () => undefined };
  const { Pool } = createRequire(`${process.env.SALLYPORT_PG}/package.json`)('pg');
  const { openPostgres } = await import('../../dist/postgres.js');
  const pool = new Pool({ connectionString: address });
  return { store: await openPostgres({ pool, log }), end: () => pool.end() };
}
