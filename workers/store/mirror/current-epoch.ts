import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import type { BrowserStore } from '../idb/store.ts';
import { epochOf } from '../system-log.ts';
import { lastBegunEpoch } from './begun-epoch.ts';
import { fillFromFiles, markIncomplete } from './compare.ts';
import type { EpochFolders } from './epochs.ts';
import { FileLog, type FileLogEvents } from './file-log.ts';
import { INCOMPLETE, type LogIndex } from './log-index.ts';
import { topUp } from './rewrite.ts';
import type { Witness, WitnessKeeper } from './witness.ts';

/** Parts of a ledger that an opening compares. */
export interface EpochParts {
  readonly store: BrowserStore;
  readonly index: LogIndex;
  /** Absent where there are no private files. */
  readonly folders: EpochFolders | undefined;
  readonly witness: Pick<WitnessKeeper, 'read'>;
  readonly events: FileLogEvents;
}

/** The current epoch of a ledger, and its private files. A comparison that finds a loss begins another epoch. */
export class CurrentEpoch {
  number = 1;
  files: FileLog | undefined;
  state: StorageStatus['state'] = 'good';
  private readonly store: BrowserStore;
  private readonly index: LogIndex;
  private readonly folders: EpochFolders | undefined;
  private readonly witness: EpochParts['witness'];
  private readonly events: FileLogEvents;

  constructor({ store, index, folders, witness, events }: EpochParts) {
    this.store = store;
    this.index = index;
    this.folders = folders;
    this.witness = witness;
    this.events = events;
  }

  /** Compares files, index and witness, and returns the event that the log is to record about itself. */
  async compare(): Promise<Outcome<LogBody | undefined>> {
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    const known = Math.max(this.number, written.value, witness?.epoch ?? 0);
    this.number = this.folders === undefined ? known : await lastBegunEpoch(this.folders, known);
    const seen = witness?.epoch === this.number ? witness : undefined;
    return this.folders === undefined ? this.compareAlone(seen) : this.compareFiles(this.folders, seen);
  }

  private async compareFiles(folders: EpochFolders, seen: Witness | undefined): Promise<Outcome<LogBody | undefined>> {
    const files = await this.openFiles(folders);
    files.reset();
    const found = await fillFromFiles(files, seen);
    if (!found.ok) return found;
    const { event, isIncomplete } = found.value;
    if (event !== undefined) this.state = event.event === 'lost' ? 'lost' : 'restored';
    const isLost = event?.event === 'lost';
    const current = isLost ? await this.beginEpoch(folders) : pass(files);
    const claimed = current.ok ? await current.value.claim() : current;
    if (!current.ok || !claimed.ok) return claimed.ok ? pass(event) : claimed;
    const tell = (share: number): void => this.events.onShare?.(share);
    const topped =
      isIncomplete || isLost ? await topUp(current.value, this.store, { tell, keepsOffsets: isLost }) : pass(undefined);
    return topped.ok ? pass(event) : topped;
  }

  /** Opens the next epoch. The remains of the old epoch stay where they are for a later inspection. */
  private async beginEpoch(folders: EpochFolders): Promise<Outcome<FileLog>> {
    const marked = await markIncomplete(this.index);
    if (!marked.ok) return marked;
    this.number += 1;
    const files = await this.openFiles(folders);
    // a kernel that stopped before its record of the loss may have written to this epoch
    const read = await files.read({ all: true, own: true });
    return read.ok ? pass(files) : read;
  }

  /** Opens the files of the current epoch; the files of an earlier epoch take no further writes. */
  private async openFiles(folders: EpochFolders): Promise<FileLog> {
    const { files, number } = this;
    if (files?.epoch === number) return files;
    this.files = new FileLog(number, await folders.folder(number), this.index, this.events);
    void files?.retire();
    return this.files;
  }

  /** The database is alone; should private files return, they have to be filled. */
  private async compareAlone(seen: Witness | undefined): Promise<Outcome<LogBody | undefined>> {
    const end = await this.store.frontier();
    const marked = end.ok ? await this.index.setOffsets(new Map([[INCOMPLETE, 1]])) : end;
    if (!end.ok || !marked.ok) return marked.ok ? pass(undefined) : marked;
    if (seen === undefined || end.value.size >= seen.size) return pass(undefined);
    this.state = 'lost';
    this.number += 1;
    this.store.forget();
    return pass({ event: 'lost', size: seen.size, root: seen.root, found: end.value.size });
  }
}
