/**
 * The process that `test/kills/kills.mjs` kills again and again. First it reports the ledger that the last process left
 * in the folder; then it resumes the open run, and reports each record once it is acknowledged.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '../../core/sallyport-error.ts';
import { type NodeOptions, openRuntime } from '../../workers/node.ts';
import { openSqliteStore } from '../../workers/store/sqlite/store.ts';
import { goOn, NOTE, stateOf } from './work.ts';

/** Writes a whole line synchronously, so that a kill comes before or after it. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Leases that mostly end before the next process looks for a run. */
const TIMES = { leaseMs: 500, renewMs: 100, askMs: 20 };

function storeIn(kind: string, directory: string): NonNullable<NodeOptions['store']> {
  return kind === 'sqlite' ? unwrap(openSqliteStore(join(directory, 'ledger.sqlite'), TIMES)) : { directory };
}

const [kind = '', directory = '', mode = 'work'] = process.argv.slice(2);
const runtime = await openRuntime({
  store: storeIn(kind, directory),
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
