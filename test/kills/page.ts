/**
 * The page whose browser is killed, again and again, by `.scripts/kills.mjs`. First it says what the last one left;
 * then it takes the open run up and goes on, and says each record once it is acknowledged.
 */
import { openRuntime } from '../../web/client.ts';
import type { Runtime } from '../../workers/api.ts';
import { goOn, NOTE, stateOf } from './work.ts';

/** One letter at a time, each with all there is to say: a letter that was not delivered acknowledges nothing. */
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

/** What was removed makes the second copy due: the next life is killed while it is made anew. */
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
