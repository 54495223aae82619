/**
 * The process that `test/kills/kills.mjs` kills again and again. First it reports the ledger that the last process left
 * in the folder; then it resumes the open run, and reports each record once it is acknowledged.
 */
import { linkSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '../../core/sallyport-error.ts';
import { type NodeOptions, openRuntime } from '../../workers/node.ts';
import { openSqliteStore } from '../../workers/store/sqlite/store.ts';
import { makeKey, makePasskey, ORIGIN, type Passkey } from '../authenticator.ts';
import { goOn, NOTE, SIGNED_NOTE, stateOf } from './work.ts';

/** Writes a whole line synchronously, so that a kill comes before or after it. */
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Leases that mostly end before the next process looks for a run. */
const TIMES = { leaseMs: 500, renewMs: 100, askMs: 20 };

function storeIn(kind: string, directory: string): NonNullable<NodeOptions['store']> {
  return kind === 'sqlite' ? unwrap(openSqliteStore(join(directory, 'ledger.sqlite'), TIMES)) : { directory };
}

/** Two signers, the same in each life: a file is linked whole, or not at all. */
async function signersIn(folder: string): Promise<readonly Passkey[]> {
  mkdirSync(folder, { recursive: true });
  const made = join(folder, `keys-${process.pid}.json`);
  const kept = join(folder, 'keys.json');
  writeFileSync(made, JSON.stringify([await makeKey(), await makeKey()]));
  try {
    linkSync(made, kept);
  } catch {
    // an earlier life has made them
  }
  const keys = JSON.parse(readFileSync(kept, 'utf8')) as readonly JsonWebKey[];
  return Promise.all(keys.map((key) => makePasskey('ES256', ORIGIN, key)));
}

const [kind = '', directory = '', mode = 'work'] = process.argv.slice(2);
const signers = await signersIn(`${directory}.keys`);
const by = signers.map(({ key }, nth) => ({ name: `signer ${nth}`, key, origin: ORIGIN }));
const runtime = await openRuntime({
  store: storeIn(kind, directory),
  capabilities: [NOTE, SIGNED_NOTE],
  grants: [
    { capability: NOTE.name, mode: 'allow' },
    { capability: SIGNED_NOTE.name, mode: 'ask', signed: { by, of: 2 } },
  ],
  // a kill may fall before, between and behind the two
  approve: async ({ digest, capability_hash: definition, signed }) => {
    const signer = signers[signed?.parts.length ?? 0] as Passkey;
    return { approved: true, signed: await signer.sign({ digest, definition, answer: 'once' }) };
  },
});
say({ found: await stateOf(runtime) });
if (mode === 'work') {
  for (;;) {
    const run = await goOn(runtime, { isSigned: true });
    for await (const { hash } of run.records()) say({ acknowledged: hash });
  }
}
await runtime.close();
