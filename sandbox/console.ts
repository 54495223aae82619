import type { ConsoleLine } from '../core/capability/call.ts';

const encoder = new TextEncoder();

/** Lines as the prelude tells them: whether there were too many, then `[level, text]` in order. */
export function readLines(told: string, bytesMax: number): readonly ConsoleLine[] | undefined {
  if (told === '0[]') return [];
  const pairs = JSON.parse(told.slice(1)) as readonly (readonly [ConsoleLine['level'], string])[];
  const lines = pairs.map(([level, text]) => ({ level, text: text.toWellFormed() }));
  const bytes = lines.reduce((sum, { text }) => sum + encoder.encode(text).length + 1, 0);
  return told.startsWith('1') || bytes > bytesMax ? undefined : lines;
}
