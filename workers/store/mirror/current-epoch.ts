import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { StorageStatus } from '../../api.ts';
import { idbIndex } from '../idb/log-index.ts';
import type { BrowserStore } from '../idb/store.ts';
import { epochOf } from '../system-log.ts';
import { fillFromFiles } from './compare.ts';
import type { EpochFolders } from './epochs.ts';
import { FileLog, type FileLogEvents } from './file-log.ts';
import { INCOMPLETE, type LogIndex } from './log-index.ts';
import { topUp } from './rewrite.ts';
import type { Witness, WitnessKeeper } from './witness.ts';

/** The current epoch of a ledger, and its private files. A comparison that finds a loss begins another epoch. */
export class CurrentEpoch {
  number = 1;
  files: FileLog | undefined;
  state: StorageStatus['state'] = 'good';
  private readonly store: BrowserStore;
  private readonly index: LogIndex;
  private readonly folders: EpochFolders | undefined;
  private readonly witness: WitnessKeeper;
  private readonly events: FileLogEvents;

  constructor(store: BrowserStore, folders: EpochFolders | undefined, witness: WitnessKeeper, events: FileLogEvents) {
    this.store = store;
    this.index = idbIndex(store);
    this.folders = folders;
    this.witness = witness;
    this.events = events;
  }

  /** Compares files, index and witness, and returns the event that the log is to record about itself. */
  async compare(): Promise<Outcome<LogBody | undefined>> {
    const witness = await this.witness.read();
    const written = await epochOf(this.store);
    if (!written.ok) return written;
    this.number = Math.max(1, written.value, (await this.folders?.last()) ?? 0, witness?.epoch ?? 0);
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
    // The remains of the old epoch stay where they are for a later inspection.
    if (event?.event === 'lost') this.number += 1;
    const current = await this.openFiles(folders);
    const claimed = await current.claim();
    if (!claimed.ok) return claimed;
    const topped =
      isIncomplete || event?.event === 'lost'
        ? await topUp(current, this.store, (share) => this.events.onShare?.(share))
        : pass(undefined);
    return topped.ok ? pass(event) : topped;
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
