// A process on a ledger of several processes, which leaves runs open and resumes those of other processes, for
// `postgres-takeover.spec.ts`. Each line of its input is a command, and answered by a line.
import { createInterface } from 'node:readline';
import { fromScript } from '../../dist/node.js';
import { openLedger } from './ledger-runtime.mjs';

const [place, effects] = process.argv.slice(2);
const { runtime, close } = await openLedger(place, effects);

const CALL = { next_step: { tool: 'note.write', arguments: { n: 0 }, goal: 'add a line' } };
const DONE = { done: true, message: 'done' };
/** The run that this process has started or taken last. */
let started;

/** Starts a run whose model makes a call, and then thinks without end. */
async function think() {
  const script = fromScript([CALL]);
  let asked = 0;
  const thinks = new Promise((reached) => {
    const propose = () => (asked++ === 0 ? script.propose() : new Promise(() => reached()));
    started = runtime.start({ dialect: 'xct', task: 'Add a line.', model: { ...script, propose } });
  });
  await thinks;
  return { run_id: started.id };
}

/** Resumes a run, which rests until `finish`. `over`: also the run of a process that lives. */
async function take(run_id, over) {
  started = await runtime.resume(run_id, fromScript([CALL, DONE]), { takeOver: over === 'over' });
  return { run_id: started.id };
}

/** Lets the run that was taken last make one more call, and end. */
async function finish() {
  await started.run();
  return { state: (await started.result).state };
}

const commands = {
  think,
  take,
  finish,
  /** True while another process holds the run. */
  held: async (run_id) => ({ held: (await runtime.runs()).some((row) => row.run_id === run_id && row.elsewhere) }),
  clock: async () => ({ now: Date.now() }),
  verify: async (run_id) => ({ ok: (await runtime.ledger.verify(run_id)).ok }),
  records: async (run_id) => ({ records: await runtime.ledger.records(run_id) }),
};

const said = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
said({});
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...given] = line.split(' ');
  if (command === 'end') break;
  try {
    said(await commands[command](...given));
  } catch (error) {
    said({ code: error.code });
  }
}
await close();
