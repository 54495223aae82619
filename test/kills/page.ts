/**
 * The page whose browser `.scripts/kills.mjs` kills again and again. First it reports the ledger that the last page
 * left; then it resumes the open run, and reports each record once it is acknowledged.
 */
import { openRuntime } from '../../web/client.ts';
import type { Runtime } from '../../workers/api.ts';
import { goOn, NOTE, stateOf } from './work.ts';

/** Sends one request at a time with all waiting lines. A request that was not delivered acknowledges no record. */
function makePost(): (line: object) => void {
  const waiting: object[] = [];
  let sending = false;
  const send = async (): Promise<void> => {
    sending = true;
    while (waiting.length > 0) await fetch('/said', { method: 'POST', body: JSON.stringify(waiting.splice(0)) });
    sending = false;
  };
  return (line) => {
    waiting.push({ ...line, life: location.hash });
    if (!sending) void send();
  };
}

const say = makePost();

/** Adds and removes a file, which makes the second copy due: the next life is killed while the copy is made. */
async function leaveLess({ content }: Runtime): Promise<void> {
  const path = 'passing.md';
  await content.add([{ path, bytes: new TextEncoder().encode('# Passing\n') }]);
  await content.remove([path]);
}

async function work(): Promise<void> {
  const runtime = await openRuntime({ capabilities: [NOTE], grants: [{ capability: NOTE.name, mode: 'allow' }] });
  const { state, mirror } = await runtime.storage.status();
  say({ found: await stateOf(runtime), state, mirror });
  if (location.hash === '#look') return;
  await leaveLess(runtime);
  for (;;) {
    const run = await goOn(runtime);
    for await (const { hash } of run.records()) say({ acknowledged: hash });
  }
}

work().catch((error: unknown) => say({ failed: String(error) }));
