/**
 * The process that is killed, again and again, by `.scripts/kills.mjs`. First it says what the last one left in the
 * directory; then it takes the open run up and goes on, and says each record once it is acknowledged.
 */
import { writeSync } from 'node:fs';
import type { LedgerRecord } from '../../core/index.ts';
import type { ModelPort, Run, Runtime } from '../../workers/api.ts';
import { openRuntime } from '../../workers/node.ts';
import { NOTE, proposals, stateOf } from './work.ts';

/** Written at once and to the end, or the kill was before it. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function goOn(runtime: Runtime): Promise<Run> {
  const open = (await runtime.runs()).find(({ sealed }) => !sealed);
  const model: ModelPort = { id: 'kills', locality: { kind: 'local' }, propose: proposals() };
  if (open === undefined) return runtime.start({ dialect: 'xct', task: 'Note.', model });
  const run = await runtime.resume(open.run_id, model);
  await run.run();
  return run;
}

const [directory = '', mode = 'work'] = process.argv.slice(2);
const runtime = await openRuntime({
  store: { directory },
  capabilities: [NOTE],
  grants: [{ capability: NOTE.name, mode: 'allow' }],
});
say({ found: await stateOf(runtime) });
if (mode === 'work') {
  for (;;) {
    const run = await goOn(runtime);
    for await (const { hash } of run.records() as AsyncIterable<LedgerRecord>) say({ acknowledged: hash });
  }
}
await runtime.close();
