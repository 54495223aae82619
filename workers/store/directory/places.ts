import type { Place } from '../journal/open.ts';

/** Where a batch stands in the file, its place in the log, and which records of its run it holds. */
interface Standing extends Place {
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

/** Where the batches of a log stand in its file: found by run, and in the order of the log. */
export class Places {
  private readonly runs = new Map<string, Standing[]>();

  /** What was left of an erased batch stands behind younger ones in the file, and comes in the batch's place. */
  put(run_id: string, standing: Standing): void {
    const places = this.runs.get(run_id) ?? [];
    this.runs.set(run_id, places);
    const at = places.findLastIndex(({ from }) => from <= standing.from);
    if (places[at]?.from === standing.from) places[at] = standing;
    else places.splice(at + 1, 0, standing);
  }

  of(run_id: string): readonly Standing[] {
    return this.runs.get(run_id) ?? [];
  }

  /** Of the batch that begins with this record. */
  at(run_id: string, run_seq: number): Standing | undefined {
    return this.runs.get(run_id)?.find(({ from }) => from === run_seq);
  }

  /** Of all runs, from this place in the log on. */
  inOrder(from = 0): readonly Standing[] {
    const places = [...this.runs.values()].flat().filter(({ seq }) => seq >= from);
    return places.sort((one, other) => one.seq - other.seq);
  }
}
