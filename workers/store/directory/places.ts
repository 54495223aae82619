import type { FramePlace } from '../journal/journal.ts';

/** Place of a batch in the file and in the log, and the records of its run in it. */
interface BatchPlace extends FramePlace {
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

/** Places of the batches of a log in its file: found by run, or listed in the order of the log. */
export class Places {
  private readonly runs = new Map<string, BatchPlace[]>();

  /**
   * Adds a place. The remainder of an erased batch stands behind younger batches in the file, and takes the place of
   * the old batch here.
   */
  put(run_id: string, place: BatchPlace): void {
    const places = this.runs.get(run_id) ?? [];
    this.runs.set(run_id, places);
    const at = places.findLastIndex(({ from }) => from <= place.from);
    if (places[at]?.from === place.from) places[at] = place;
    else places.splice(at + 1, 0, place);
  }

  of(run_id: string): readonly BatchPlace[] {
    return this.runs.get(run_id) ?? [];
  }

  /** Place of the batch that begins with this record. */
  at(run_id: string, run_seq: number): BatchPlace | undefined {
    return this.runs.get(run_id)?.find(({ from }) => from === run_seq);
  }

  /** Places of the batches of all runs, from this place in the log on. */
  inOrder(from = 0): readonly BatchPlace[] {
    const places = [...this.runs.values()].flat().filter(({ seq }) => seq >= from);
    return places.sort((one, other) => one.seq - other.seq);
  }
}
