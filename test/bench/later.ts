import { encodeFrame } from '../../workers/store/journal/frame.ts';
import { openDurableStore } from '../../workers/store/mirror/durable.ts';
import { newFileName, privateFolder } from '../../workers/store/mirror/folder.ts';
import { openRoot } from '../../workers/store/mirror/opfs.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { must } from './must.ts';

/** Opens a ledger whose private file is from an earlier life, as most are: the name of a new file is not sure yet. */
export async function openLater(name: string): Promise<LedgerStore> {
  const root = await openRoot();
  const base = await root?.getDirectoryHandle(`${name}.mirror`, { create: true });
  const folder = await base?.getDirectoryHandle('e1', { create: true });
  const file = folder && (await privateFolder(folder).open(newFileName()));
  if (file === undefined) throw new Error('This browser has no private files.');
  file.write(encodeFrame({ tables: [], at: 0 }), 0);
  await file.flush();
  file.close();
  return must(await openDurableStore(name));
}
