import { type Outcome, pass } from '../core/inner.ts';
import type { Tell } from './backup.ts';
import type { Cross } from './client.ts';
import type { Kernel } from './kernel.ts';
import type { KeepOptions } from './storage.ts';

/** A backup of everything; rejects with the signal's reason where that ended it. */
export async function carryOut(kernel: Kernel, cross: Cross, options: KeepOptions = {}): Promise<Outcome<Uint8Array>> {
  const backup = await kernel.backUp(cross(tellerOf(options)));
  return backup.ok ? pass(backup.value ?? stopped(options)) : backup;
}

/** The way back. */
export async function carryIn(
  kernel: Kernel,
  backup: Uint8Array,
  cross: Cross,
  options: KeepOptions = {},
): Promise<Outcome<void>> {
  const done = await kernel.takeBack(backup, cross(tellerOf(options)));
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
