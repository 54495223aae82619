import type { FramePlace } from '../journal/journal.ts';
import { RunNumbers } from '../journal/run-numbers.ts';

/** Place of a batch in the file and in the log, and the records of its run in it. */
interface BatchPlace extends FramePlace {
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

const [FROM, TO, SEQ, AT, LENGTH] = [0, 1, 2, 3, 4] as const;

/** Places of the batches of a log in its file: found by run, or listed in the order of the log. */
export class Places {
  private readonly numbers = new RunNumbers(5);

  /**
   * Adds a place. The remainder of an erased batch stands behind younger batches in the file, and takes the place of
   * the old batch here.
   */
  put(run_id: string, { from, to, seq, at, length }: BatchPlace): void {
    this.numbers.put(run_id, [from, to, seq, at, length]);
  }

  of(run_id: string): readonly BatchPlace[] {
    return this.numbers.of(run_id).map((row) => this.place(row));
  }

  /** Place of the batch that begins with this record. */
  at(run_id: string, run_seq: number): BatchPlace | undefined {
    const row = this.numbers.find(run_id, run_seq);
    return row === undefined ? undefined : this.place(row);
  }

  /** Places of the batches of all runs, from this place in the log on. */
  inOrder(from = 0): readonly BatchPlace[] {
    const rows = Array.from({ length: this.numbers.count }, (_, row) => row);
    const places = rows.filter((row) => this.numbers.number(row, SEQ) >= from).map((row) => this.place(row));
    return places.sort((one, other) => one.seq - other.seq);
  }

  /** A place of the log that two batches have or none; undefined where each place below the last belongs to one batch. */
  firstOverlap(): number | undefined {
    const rows = Array.from({ length: this.numbers.count }, (_, row) => row);
    const from = (row: number) => this.numbers.number(row, SEQ);
    const length = (row: number) => this.numbers.number(row, TO) - this.numbers.number(row, FROM);
    const starts = Float64Array.from(rows, from).sort();
    const ends = Float64Array.from(rows, (row) => from(row) + length(row)).sort();
    // in a log without overlap each batch begins where another ends
    return starts.find((start, nth) => start !== (nth === 0 ? 0 : ends[nth - 1]));
  }

  private place(row: number): BatchPlace {
    const { numbers } = this;
    return {
      at: numbers.number(row, AT),
      length: numbers.number(row, LENGTH),
      seq: numbers.number(row, SEQ),
      from: numbers.number(row, FROM),
      to: numbers.number(row, TO),
    };
  }
}
