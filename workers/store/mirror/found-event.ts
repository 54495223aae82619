import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { LedgerStore } from '../store.ts';
import { epochOf, recordInLog } from '../system-log.ts';

/** Event that a comparison of a log found, until it is recorded. */
export class FoundEvent {
  private event: LogBody | undefined;
  private isRecording = false;

  get isPending(): boolean {
    return this.event !== undefined;
  }

  /** True where the next append has to record the event first. */
  get isDue(): boolean {
    return this.isPending && !this.isRecording;
  }

  /** Keeps what a comparison found. A loss stays, whatever a later comparison finds. */
  keep(event: LogBody | undefined): void {
    if (this.event?.event !== 'lost') this.event = event ?? this.event;
  }

  /** Records the event. After a refusal it stays pending. */
  async record(store: LedgerStore, epoch: number): Promise<Outcome<void>> {
    const { event } = this;
    if (event === undefined || this.isRecording) return pass(undefined);
    this.isRecording = true;
    try {
      const done = await recordOnce(store, epoch, event);
      if (done.ok && this.event === event) this.event = undefined;
      return done;
    } finally {
      this.isRecording = false;
    }
  }
}

/** Another kernel may have recorded the loss with which an epoch begins. */
async function recordOnce(store: LedgerStore, epoch: number, event: LogBody): Promise<Outcome<void>> {
  const begun = event.event === 'lost' ? await epochOf(store) : pass(0);
  if (!begun.ok) return begun;
  return begun.value === epoch ? pass(undefined) : recordInLog(store, epoch, event);
}
