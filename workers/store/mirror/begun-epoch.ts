import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { framesIn } from '../journal/blob.ts';
import { decodeBody, type Entry } from '../journal/frame.ts';
import { hasContents } from '../journal/header.ts';
import { SYSTEM } from '../system-log.ts';
import type { EpochFolders } from './epochs.ts';
import type { FileFolder } from './folder.ts';

/**
 * The last epoch after `known` that has begun; `known` without such an epoch. An epoch begins with its record of the
 * loss: a kernel that stopped before it leaves a folder without that record, and the loss has to be found again.
 */
export async function lastBegunEpoch(folders: EpochFolders, known: number): Promise<number> {
  const later = (await folders.epochs()).filter((epoch) => epoch > known).toSorted((one, other) => other - one);
  for (const epoch of later) if (await hasBegun(await folders.folder(epoch), epoch)) return epoch;
  return known;
}

async function hasBegun(folder: FileFolder, epoch: number): Promise<boolean> {
  for (const name of await folder.names()) {
    const blob = await folder.blob(name);
    // a kernel that writes the file right now has begun its epoch
    if (blob && (await tellsOf(blob, epoch).catch(isBeingWritten))) return true;
  }
  return false;
}

async function tellsOf(blob: Blob, epoch: number): Promise<boolean> {
  for await (const { header, body } of framesIn(blob)) {
    if (hasContents(header.state) && isOwnRecord(decodeBody(body, header.state, 'viewed'), epoch)) return true;
  }
  return false;
}

/** True for a record of this epoch about the log itself. */
function isOwnRecord({ batch, pending }: Entry, epoch: number): boolean {
  const held = batch ?? pending;
  return held?.run_id === SYSTEM && held.records.some((text) => (JSON.parse(text) as LedgerRecord).epoch === epoch);
}

function isBeingWritten(reason: unknown): boolean {
  if (reason instanceof DOMException && reason.name === 'NotReadableError') return true;
  throw reason;
}
