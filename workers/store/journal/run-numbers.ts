/**
 * Rows of numbers for each run, ordered by their first number. The numbers stand in columns: an object for each row
 * takes three times the memory, and a ledger may have millions of rows.
 */
export class RunNumbers {
  readonly #columns: readonly number[][];
  /** For each row, the row before it in its run; -1 for the first. */
  readonly #before: number[] = [];
  readonly #last = new Map<string, number>();

  /** @param width numbers in a row. */
  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => []);
  }

  /** Number of rows of all runs. Rows are named by their index, in the order in which they came. */
  get count(): number {
    return this.#before.length;
  }

  /** Adds a row, or replaces the row of the run with the same first number. */
  put(run_id: string, numbers: readonly number[]): void {
    const [first = 0] = numbers;
    let [at, behind] = [this.#last.get(run_id) ?? -1, -1];
    while (at >= 0 && this.number(at, 0) > first) [at, behind] = [this.#before[at] as number, at];
    const row = at >= 0 && this.number(at, 0) === first ? at : this.count;
    for (const [column, values] of this.#columns.entries()) values[row] = numbers[column] ?? Number.NaN;
    if (row === at) return;
    this.#before.push(at);
    if (behind >= 0) this.#before[behind] = row;
    else this.#last.set(run_id, row);
  }

  /** Number of a row in a column. */
  number(row: number, column: number): number {
    return this.#columns[column]?.[row] ?? Number.NaN;
  }

  /** The row of a run with this first number. */
  find(run_id: string, first: number): number | undefined {
    let at = this.#last.get(run_id) ?? -1;
    while (at >= 0 && this.number(at, 0) > first) at = this.#before[at] as number;
    return at >= 0 && this.number(at, 0) === first ? at : undefined;
  }

  /** The rows of a run in their order. */
  of(run_id: string): readonly number[] {
    const rows: number[] = [];
    for (let at = this.#last.get(run_id) ?? -1; at >= 0; at = this.#before[at] as number) rows.push(at);
    return rows.reverse();
  }
}
