// A process on a ledger that several processes use, for `sqlite.spec.ts` and `postgres.spec.ts`. Each line of its input
// is a command, and answered by a line.
import { createInterface } from 'node:readline';
import { openLedger } from './ledger-runtime.mjs';

const [place, effects, resume] = process.argv.slice(2);
const { runtime, close } = await openLedger(place, effects);

/** True while another process holds the run: its lease ends some seconds after it was killed or paused. */
async function isElsewhere(run_id) {
  return (await runtime.runs()).some((row) => row.run_id === run_id && row.elsewhere);
}

while (await isElsewhere(resume)) await new Promise((later) => setTimeout(later, 100));
const session = runtime.openSession({ label: 'processes', ...(resume ? { resume } : {}) });
const said = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
said({ run_id: session.run.id });

async function receiptOf(from, n) {
  try {
    return { receipt: (await from.call('note.write', { n })).receipt };
  } catch (error) {
    return { code: error.code };
  }
}

/** Makes so many calls, in several sessions at once. */
async function callMany(sessions, calls) {
  const all = Array.from({ length: sessions }, () => runtime.openSession({ label: 'processes' }));
  const failed = [];
  await Promise.all(
    all.map(async (each) => {
      for (let n = 0; n < calls; n++) {
        const { receipt, code } = await receiptOf(each, n);
        if (receipt === undefined) failed.push(code);
      }
      await each.close('done');
    }),
  );
  return { failed };
}

async function resultOf(run) {
  const { state, code } = await run.result;
  return { state, code };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...numbers] = line.split(' ');
  if (command === 'call') said(await receiptOf(session, Number(numbers[0])));
  else if (command === 'many') said(await callMany(Number(numbers[0]), Number(numbers[1])));
  else if (command === 'result') said(await resultOf(session.run));
  else if (command === 'records') said({ records: await runtime.ledger.records(session.run.id) });
  else break;
}
await session.close('done').catch(() => undefined);
await close();
