/**
 * The process that is killed, again and again, by `.scripts/kills.mjs`. First it says what the last one left in the
 * directory; then it takes the open run up and goes on, and says each record once it is acknowledged.
 */
import { writeSync } from 'node:fs';
import { openRuntime } from '../../workers/node.ts';
import { goOn, NOTE, stateOf } from './work.ts';

/** Written at once and to the end, or the kill was before it. */
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
