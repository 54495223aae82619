import { expect, test } from 'vitest';
import { deferred } from '../../../../workers/async.ts';
import { DirectoryLog } from '../../../../workers/store/directory/log.ts';
import { valueOf } from '../store-suite.ts';
import { BEGUN, Disk, never } from './power-cut/disk.ts';

/** A disk whose next flush ends as the test says. */
class FailingDisk extends Disk {
  readonly ending = deferred<void>();
  override flush(): Promise<void> {
    return this.ending.promise;
  }
}

test('a failed flush refuses each write that waits for the disk, and the compaction after them', async () => {
  const disk = new FailingDisk(undefined, BEGUN);
  const log = valueOf(DirectoryLog.open(disk, never));
  const row = (key: string) => ({ tables: [{ table: 'kept', key, value: 1 }] }) as const;
  const first = log.write([row('first')], 'strict');
  await Promise.resolve();
  const second = log.write([row('second')], 'strict');
  disk.ending.reject(new Error('EIO'));
  for (const write of [first, second]) expect((await write).ok).toBe(false);
  expect((await log.tidy()).ok).toBe(false);
});
