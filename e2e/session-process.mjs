// A process with a session, for `session-kills.spec.ts`: it makes calls until it is killed, or closes the session.
import { appendFileSync } from 'node:fs';
import { defineTool, openRuntime } from '../dist/node.js';

const [directory, effects, resume, end] = process.argv.slice(2);

const write = defineTool({
  name: 'note.write',
  version: '1.0.0',
  description: 'Adds a line.',
  effect: 'write',
  labels: [],
  args: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  run: async ({ n }, { step_id }) => {
    appendFileSync(effects, `${step_id} ${n}\n`);
    await new Promise((later) => setTimeout(later, n % 5));
    return n;
  },
});
const runtime = await openRuntime({
  store: { directory },
  tools: [write],
  grants: [{ capability: 'note.write', mode: 'allow' }],
});
const session = runtime.openSession({ label: 'kills', ...(resume ? { resume } : {}) });
const said = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
said({ run_id: session.run.id, resumed: (await session.resumed)?.receipt });
if (end === 'end') {
  const { head } = await session.close('done');
  const log = await runtime.ledger.fsck();
  const report = await runtime.ledger.check(await runtime.ledger.export(session.run.id), { replay: true });
  const failed = report.checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
  said({ head, log: log.ok, failed, records: await runtime.ledger.records(session.run.id) });
  await runtime.close();
} else {
  for (let n = 0; ; n++) said((await session.call('note.write', { n })).receipt);
}
