/**
 * The process that `.scripts/kills.mjs` kills again and again. First it reports the ledger that the last process left
 * in the directory; then it resumes the open run, and reports each record once it is acknowledged.
 */
import { writeSync } from 'node:fs';
import { openRuntime } from '../../workers/node.ts';
import { goOn, NOTE, stateOf } from './work.ts';

/** Writes a whole line synchronously, so that a kill comes before or after it. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
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
    for await (const { hash } of run.records()) say({ acknowledged: hash });
  }
}
await runtime.close();
