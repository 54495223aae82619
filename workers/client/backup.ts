import { CALLBACK, type OptionTypes, optionsOf, SIGNAL } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { KeepOptions, RestoreOptions } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import type { BackupProgress, BackupSink } from '../kernel/backup/backup.ts';

const KEEP: OptionTypes = { signal: SIGNAL, onProgress: CALLBACK };

/**
 * Writes a backup page by page; `complete` runs behind the last bytes, before the backup counts as made. Rejects with
 * the signal's reason after an abort.
 */
async function writeBackup(
  kernel: Kernel,
  to: (bytes: Uint8Array<ArrayBuffer>) => unknown,
  given?: KeepOptions,
  complete: () => unknown = () => undefined,
): Promise<Outcome<void>> {
  const options = optionsOf(given, KEEP);
  const tell = progressOf(options);
  let failed: { readonly reason: unknown } | undefined;
  const take: BackupSink = async (bytes, done, all, last) => {
    try {
      await to(bytes as Uint8Array<ArrayBuffer>);
      if (last) await complete();
    } catch (reason) {
      failed = { reason };
    }
    return failed === undefined && tell(done, all);
  };
  const made = await kernel.backUp(take);
  if (failed !== undefined) throw failed.reason;
  if (!made.ok) return made;
  return made.value ? pass(undefined) : stopped(options);
}

/** Makes a backup as a blob. Each page is a blob of its own, which a browser may move to the disk. */
export async function backupToBlob(kernel: Kernel, options?: KeepOptions): Promise<Outcome<Blob>> {
  const parts: Blob[] = [];
  const made = await writeBackup(kernel, (bytes) => parts.push(new Blob([bytes])), options);
  return made.ok ? pass(new Blob(parts, { type: 'application/octet-stream' })) : made;
}

/** Writes a backup into a stream, then closes the stream, or aborts it after a failure. */
export async function backupToStream(
  kernel: Kernel,
  stream: WritableStream<Uint8Array>,
  options?: KeepOptions,
): Promise<Outcome<void>> {
  const writer = stream.getWriter();
  try {
    const made = await writeBackup(
      kernel,
      (bytes) => writer.write(bytes),
      options,
      () => writer.close(),
    );
    if (!made.ok) await writer.abort(made.refusal);
    return made;
  } catch (reason) {
    await writer.abort(reason).catch(() => undefined);
    throw reason;
  }
}

/** Restores a backup, or verifies it only. */
export async function restoreBackup(
  kernel: Kernel,
  backup: Blob | Uint8Array,
  given?: RestoreOptions,
): Promise<Outcome<void>> {
  const options = optionsOf(given, { ...KEEP, only: ['tried', (value) => value === 'tried'] });
  const done = await kernel.takeBack(blobOf(backup), progressOf(options), options.only);
  if (!done.ok) return done;
  return done.value ? pass(undefined) : stopped(options);
}

/** Replaces the ledger by a backup. Rejects with the signal's reason after an abort. */
export async function replaceByBackup(
  kernel: Kernel,
  backup: Blob | Uint8Array,
  given?: KeepOptions,
): Promise<Outcome<void>> {
  const options = optionsOf(given, KEEP);
  const done = await kernel.replaceBy(blobOf(backup), progressOf(options));
  if (!done.ok) return done;
  return done.value ? pass(undefined) : stopped(options);
}

function blobOf(backup: Blob | Uint8Array): Blob {
  return backup instanceof Blob ? backup : new Blob([new Uint8Array(backup)]);
}

function progressOf({ signal, onProgress }: KeepOptions): BackupProgress {
  signal?.throwIfAborted();
  return (done, all) => {
    onProgress?.(done / Math.max(1, all));
    return signal?.aborted !== true;
  };
}

function stopped({ signal }: KeepOptions): never {
  throw signal?.reason;
}
