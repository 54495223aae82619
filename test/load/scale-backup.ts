/** Backups of a ledger as it grows, which a page of `npm run test:long -- load --measure scale` restores. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '../../core/sallyport-error.ts';
import { backUp } from '../../workers/kernel/backup/backup.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { sampleRun } from '../../workers/testing/store/sample.ts';

/** Steps of a run. */
const STEPS = { runs: 1, records: 20 } as const;

/** Writes a backup for each size. Each ledger is the beginning of the next. Resolves to their files. */
export async function writeBackups(
  folder: string,
  unit: 'runs' | 'records',
  sizes: readonly number[],
): Promise<readonly string[]> {
  const store = openMemoryStore();
  const files: string[] = [];
  let runs = 0;
  const size = async () => (unit === 'runs' ? runs : unwrap(await store.head()).size);
  for (const wanted of sizes) {
    while ((await size()) < wanted) {
      const { run_id, batches } = sampleRun(runs++, STEPS[unit]);
      for (const batch of batches) unwrap(await store.append({ run_id, ...batch }, 'relaxed'));
    }
    const file = join(folder, `${unit}-${wanted}.backup`);
    writeFileSync(file, '');
    unwrap(await backUp(store, (bytes) => (appendFileSync(file, bytes), true)));
    files.push(file);
  }
  await store.close();
  return files;
}
