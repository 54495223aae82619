import type { Outcome } from '../../../core/outcome.ts';
import { backUp, takeBack } from '../../kernel/backup/backup.ts';
import type { BackupProgress } from '../../kernel/backup/scan.ts';
import type { LedgerStore } from '../../store/store.ts';
import { valueOf } from './store-place.ts';

/** The whole backup of a store. */
export async function backupOf(store: LedgerStore): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  valueOf(await backUp(store, (bytes) => parts.push(new Uint8Array(bytes)) > 0));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Restores bytes from a blob, like a person's file. Without a store the bytes are only checked. */
export function back(
  store: LedgerStore | undefined,
  bytes: Uint8Array<ArrayBuffer>,
  tell?: BackupProgress,
): Promise<Outcome<boolean>> {
  return takeBack(store, new Blob([bytes]), tell);
}
