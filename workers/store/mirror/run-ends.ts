import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunRow } from '../../api.ts';
import type { FillQueue } from './fill-queue.ts';
import type { LogIndex } from './log-index.ts';

/** Row of each run that this kernel writes, behind its last acknowledged batch. */
export class RunEnds {
  private readonly queue: FillQueue;
  private readonly index: LogIndex;
  private readonly ends = new Map<string, { readonly row: RunRow | undefined }>();
  private readonly loading = new Map<string, Promise<Outcome<void>>>();
  /** Runs that another writer has continued. */
  private readonly forked = new Set<string>();

  constructor(queue: FillQueue, index: LogIndex) {
    this.queue = queue;
    this.index = index;
  }

  isLoaded(run_id: string): boolean {
    return this.ends.has(run_id);
  }

  row(run_id: string): RunRow | undefined {
    return this.ends.get(run_id)?.row;
  }

  /** Keeps the row while the run goes on. The index has the row of a finished run, and a next task of it reads it there. */
  set(run_id: string, row: RunRow): void {
    if (row.sealed) this.ends.delete(run_id);
    else this.ends.set(run_id, { row });
  }

  isForked(run_id: string): boolean {
    return this.forked.has(run_id);
  }

  fork(run_id: string): void {
    this.forked.add(run_id);
  }

  /** Forgets a run whose batches are all in the index, because another kernel may have written it. */
  forget(run_id: string): void {
    if (this.queue.find(({ batch }) => batch?.run_id === run_id) !== undefined) return;
    this.ends.delete(run_id);
    this.forked.delete(run_id);
  }

  /** Reads the row of a run from the index; for a loaded run at once. */
  load(run_id: string): Promise<Outcome<void>> {
    if (this.isLoaded(run_id)) return Promise.resolve(pass(undefined));
    const found = this.loading.get(run_id);
    if (found !== undefined) return found;
    const loading = this.read(run_id).finally(() => this.loading.delete(run_id));
    this.loading.set(run_id, loading);
    return loading;
  }

  private async read(run_id: string): Promise<Outcome<void>> {
    const settled = await this.queue.settle();
    if (!settled.ok) return settled;
    const row = await this.index.run(run_id);
    if (row.ok) this.ends.set(run_id, { row: row.value });
    return row.ok ? pass(undefined) : row;
  }
}
