import type { RuntimeInfo } from '../../../workers/api.ts';
import { storage } from '../../texts/en/storage.ts';

type Store = RuntimeInfo['store'];

/** The sentence about a log that was lost or restored, or a backup that was not, for a person to see at once. */
export function lossOf({ state, cut }: Store): string | undefined {
  if (state === 'restored') return storage().restored;
  if (state === 'lost') return storage().lost;
  return cut ? storage().cut : undefined;
}

/** The place of the runs, the time for which they are kept, and where. */
export function storageText({ kind, reason, mirror }: Store): string {
  const texts = storage();
  if (kind === 'indexeddb') return texts.inBrowser(mirror === undefined ? '' : texts.mirrors[mirror]);
  return kind === 'directory' ? texts.inDirectory : texts.inMemory(reason ?? '');
}
