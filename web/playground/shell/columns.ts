import { effect, type Signal, signal } from '@preact/signals-core';
import { keep, kept } from '../parts/local-storage.ts';

/** The movable edges: the setup's right edge and the record's left edge. The ledger takes the rest of the width. */
export type EdgeName = 'left' | 'right';

/** Percent of the page's width that the column may take. */
export const EDGES: { readonly [E in EdgeName]: { readonly min: number; readonly max: number } } = {
  left: { min: 18, max: 45 },
  right: { min: 25, max: 55 },
};

const KEY = 'sallyport.edges';

/** Positions of the moved edges, in percent; an edge without a position is placed by the layout. */
export const edges: Signal<{ readonly [E in EdgeName]?: number }> = signal(read());
effect(() => keep(KEY, JSON.stringify(edges.value)));

/** Moves an edge as far as it goes; without a place, back to where the layout puts it. */
export function moveEdge(name: EdgeName, percent: number | undefined): void {
  const { [name]: _, ...others } = edges.peek();
  edges.value = percent === undefined ? others : { ...others, [name]: within(name, percent) };
}

function within(name: EdgeName, percent: number): number {
  const { min, max } = EDGES[name];
  return Math.round(Math.min(max, Math.max(min, percent)) * 10) / 10;
}

/** The stored text is untrusted: only numbers are taken, and only within an edge's range. */
function read(): { readonly [E in EdgeName]?: number } {
  const found: { [E in EdgeName]?: number } = {};
  for (const name of ['left', 'right'] as const) {
    const percent = member(name);
    if (typeof percent === 'number') found[name] = within(name, percent);
  }
  return found;
}

function member(name: EdgeName): unknown {
  try {
    return (JSON.parse(kept(KEY) ?? '{}') as Partial<Record<EdgeName, unknown>> | null)?.[name];
  } catch {
    return undefined;
  }
}
