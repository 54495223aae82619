import { encodeFrame } from '../../workers/store/journal/frame.ts';
import { newFileName, openRoot, privateFolder } from '../../workers/store/page/opfs.ts';
import { openPageStore } from '../../workers/store/page/store.ts';
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
  return must(await openPageStore(name));
}
