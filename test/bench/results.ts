import type { Row } from './table.ts';

/** Rows of one section in one engine, and when they were measured. */
export interface Measured {
  /** `node`, `chromium` or `firefox`. */
  readonly engine: string;
  /** Name and version of the engine. */
  readonly version: string;
  readonly section: string;
  /** Day of the measurement, as `2026-11-23`. */
  readonly date: string;
  /** Load of the machine when the section ended: programs that wanted the processor. */
  readonly load: number;
  readonly rows: readonly Row[];
}

/** The file of results, from which the documentation makes its tables and plots. */
export interface Results {
  readonly format: 'sallyport-bench/1';
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
  };
  /** Versions of Sallyport and of the packages that it is measured beside. */
  readonly versions: Readonly<Record<string, string>>;
  readonly measured: readonly Measured[];
}

/** The results with the newer sections in place of the older. Another machine's results are left out. */
export function mergeResults(older: Results | undefined, newer: Results): Results {
  if (older === undefined || JSON.stringify(older.machine) !== JSON.stringify(newer.machine)) return newer;
  const isNew = (old: Measured) => newer.measured.some((one) => placeOf(one) === placeOf(old));
  const measured = [...older.measured.filter((old) => !isNew(old)), ...newer.measured];
  return { ...newer, versions: { ...older.versions, ...newer.versions }, measured };
}

function placeOf({ engine, section }: Measured): string {
  return `${engine} ${section}`;
}

/** The results as the text of a file. Numbers keep four digits. */
export function formatResults(results: Results): string {
  const digits = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  return `${JSON.stringify(results, digits, 1)}\n`;
}
