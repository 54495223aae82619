import { effect, type Signal, signal } from '@preact/signals-core';
import { readSetting, writeSetting } from '../parts/local-storage.ts';

/** The columns whose width can be set: the setup on the left, the record on the right. The ledger takes the rest. */
export type SideColumn = 'left' | 'right';

/** Percent of the page's width that the column may take. */
export const WIDTH_RANGES: { readonly [E in SideColumn]: { readonly min: number; readonly max: number } } = {
  left: { min: 18, max: 45 },
  right: { min: 25, max: 55 },
};

const KEY = 'sallyport.edges';

/** Widths that a reader has set, in percent; the layout decides the width of a column without an entry. */
export const columnWidths: Signal<{ readonly [E in SideColumn]?: number }> = signal(read());
effect(() => writeSetting(KEY, JSON.stringify(columnWidths.value)));

/** Sets a column's width within its range; without a percentage, the layout decides again. */
export function resizeColumn(name: SideColumn, percent: number | undefined): void {
  const { [name]: _, ...others } = columnWidths.peek();
  columnWidths.value = percent === undefined ? others : { ...others, [name]: within(name, percent) };
}

function within(name: SideColumn, percent: number): number {
  const { min, max } = WIDTH_RANGES[name];
  return Math.round(Math.min(max, Math.max(min, percent)) * 10) / 10;
}

/** The stored text is untrusted: only numbers are taken, and only within a column's range. */
function read(): { readonly [E in SideColumn]?: number } {
  const found: { [E in SideColumn]?: number } = {};
  for (const name of ['left', 'right'] as const) {
    const percent = member(name);
    if (typeof percent === 'number') found[name] = within(name, percent);
  }
  return found;
}

function member(name: SideColumn): unknown {
  try {
    return (JSON.parse(readSetting(KEY) ?? '{}') as Partial<Record<SideColumn, unknown>> | null)?.[name];
  } catch {
    return undefined;
  }
}
