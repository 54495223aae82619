import { CALLBACK, type Kinds, optionsOf, SIGNAL } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { KeepOptions, RestoreOptions } from '../api.ts';
import type { Take } from '../backup/backup.ts';
import type { Tell } from '../backup/scan.ts';
import type { Cross, Kernel } from '../kernel/api.ts';

const KEEP: Kinds = { signal: SIGNAL, onProgress: CALLBACK };

/** Writes a backup page by page. Rejects with the signal's reason after an abort. */
export async function carryOut(
  kernel: Kernel,
  to: (bytes: Uint8Array<ArrayBuffer>) => unknown,
  cross: Cross,
  given?: KeepOptions,
): Promise<Outcome<void>> {
  const options = optionsOf(given, KEEP);
  const tell = tellerOf(options);
  let failed: { readonly reason: unknown } | undefined;
  const take: Take = async (bytes, done, all) => {
    try {
      await to(bytes as Uint8Array<ArrayBuffer>);
    } catch (reason) {
      failed = { reason };
    }
    return failed === undefined && tell(done, all);
  };
  const made = await kernel.backUp(cross(take));
  if (failed !== undefined) throw failed.reason;
  if (!made.ok) return made;
  return made.value ? pass(undefined) : stopped(options);
}

/** Makes a backup as a blob. Each page is a blob of its own, which a browser may move to the disk. */
export async function carryWhole(kernel: Kernel, cross: Cross, options?: KeepOptions): Promise<Outcome<Blob>> {
  const parts: Blob[] = [];
  const made = await carryOut(kernel, (bytes) => parts.push(new Blob([bytes])), cross, options);
  return made.ok ? pass(new Blob(parts, { type: 'application/octet-stream' })) : made;
}

/** Writes a backup into a stream, then closes the stream, or aborts it after a failure. */
export async function carryTo(
  kernel: Kernel,
  stream: WritableStream<Uint8Array>,
  cross: Cross,
  options?: KeepOptions,
): Promise<Outcome<void>> {
  const writer = stream.getWriter();
  try {
    const made = await carryOut(kernel, (bytes) => writer.write(bytes), cross, options);
    await (made.ok ? writer.close() : writer.abort(made.refusal));
    return made;
  } catch (reason) {
    await writer.abort(reason).catch(() => undefined);
    throw reason;
  }
}

/** Restores a backup, or verifies it only. */
export async function carryIn(
  kernel: Kernel,
  backup: Blob | Uint8Array,
  cross: Cross,
  given?: RestoreOptions,
): Promise<Outcome<void>> {
  const options = optionsOf(given, { ...KEEP, only: ['tried', (value) => value === 'tried'] });
  const blob = backup instanceof Blob ? backup : new Blob([new Uint8Array(backup)]);
  const done = await kernel.takeBack(blob, cross(tellerOf(options)), options.only);
  if (!done.ok) return done;
  return done.value ? pass(undefined) : stopped(options);
}

function tellerOf({ signal, onProgress }: KeepOptions): Tell {
  signal?.throwIfAborted();
  return (done, all) => {
    onProgress?.(done / Math.max(1, all));
    return signal?.aborted !== true;
  };
}

function stopped({ signal }: KeepOptions): never {
  throw signal?.reason;
}
