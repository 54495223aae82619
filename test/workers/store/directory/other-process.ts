/**
 * A process that opens a directory as from another namespace, and appends when it is told. It says each outcome in a
 * line.
 */
import { createInterface } from 'node:readline';
import type { ProcessPlace } from '../../../../workers/store/directory/lock.ts';
import { openDirectoryStore } from '../../../../workers/store/directory/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';

const [directory = '', number = '0', endedMs = '0', space = ''] = process.argv.slice(2);
const { run_id, batches } = sampleRun(Number(number), 20, false);
const times = { renewMs: 100, lookMs: 100, endedMs: Number(endedMs) };
const place: ProcessPlace = { host: 'web', boot: 'b', space };
const store = openDirectoryStore(directory, { times, ...(space !== '' && { place }) });

const say = (said: string): void => void process.stdout.write(`${said}\n`);
say(store.ok ? 'opened' : store.refusal.code);
if (store.ok) {
  let next = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'close') break;
    const batch = batches[next++];
    if (batch === undefined) break;
    const done = await store.value.append({ run_id, ...batch }, 'strict');
    say(done.ok ? 'appended' : done.refusal.code);
  }
  await store.value.close();
}
process.stdin.destroy();
