/**
 * The page whose browser `test/kills/kills.mjs` kills again and again. First it reports the ledger that the last page
 * left; then it resumes the open run, and reports each record once it is acknowledged.
 */
import { openRuntime } from '../../web/client.ts';
import type { Runtime } from '../../workers/api.ts';
import { removeDatabase } from '../../workers/store/page/open-database.ts';
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

/** The life as the address names it: it may begin with a deleted database, or lose one of its two kernels. */
const [, role, mark] = /^#(\w+)(?:-\d+)?(?:-(\w+))?$/.exec(location.hash) ?? [];

/** The workers of each kernel, so that a kernel can be ended without warning, as a closed tab is. */
const workers: Worker[] = [];
const RealWorker = Worker;
globalThis.Worker = class extends RealWorker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    workers.push(this);
  }
};

/** Adds and removes a file, which makes the files due: the next life is killed while they are rewritten. */
async function leaveLess({ content }: Runtime): Promise<void> {
  const path = 'passing.md';
  await content.add([{ path, bytes: new TextEncoder().encode('# Passing\n') }]);
  await content.remove([path]);
}

/** Number of checkpoints of earlier lives that the log contradicts. */
async function contradicted({ ledger }: Runtime, checkpoints: readonly string[]): Promise<number> {
  let count = 0;
  for (const checkpoint of checkpoints) if ((await ledger.fsck({ checkpoint })).problems.length > 0) count++;
  return count;
}

/** Records between two checkpoints. */
const TOLD_EVERY = 12;

async function work(isFirst: boolean): Promise<void> {
  const checkpoints = (await (await fetch('/told')).json()) as readonly string[];
  if (isFirst && mark === 'wipe') await removeDatabase('sallyport');
  const before = workers.length;
  const runtime = await openRuntime({ capabilities: [NOTE], grants: [{ capability: NOTE.name, mode: 'allow' }] });
  const mine = workers.slice(before);
  const { state, mirror } = await runtime.storage.status();
  if (isFirst) {
    const found = await stateOf(runtime);
    say({ found, state, mirror, contradicted: await contradicted(runtime, checkpoints) });
  }
  if (role === 'look') return;
  const beside = isFirst ? work(false) : undefined;
  beside?.catch(fail);
  if (isFirst && mark === undefined) await leaveLess(runtime);
  if (!isFirst && mark === 'end') setTimeout(() => void again(mine), Math.random() * 300);
  for (let records = 0; ; ) {
    const run = await goOn(runtime);
    for await (const { hash } of run.records()) {
      say({ acknowledged: hash });
      if (++records % TOLD_EVERY === 0) say({ told: (await runtime.ledger.checkpoint()).text });
    }
  }
}

/** Ends a kernel, and opens another beside the kernel that writes on. */
async function again(ended: readonly Worker[]): Promise<void> {
  for (const worker of ended) worker.terminate();
  await work(false).catch(fail);
}

function fail(error: unknown): void {
  say({ failed: String(error) });
}

work(true).catch(fail);
