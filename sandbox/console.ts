import type { ConsoleLine } from '../core/capability/call.ts';
import type { Instance } from './instance.ts';
import { believe } from './message.ts';
import { SOURCE_FILE } from './prelude.ts';
import { attempt } from './realm.ts';

/** Enough to tell the console's lines after the guest was stopped; not charged to the call. */
const LINES_FUEL = 100_000;
const LINES_MS = 1000;

const encoder = new TextEncoder();

/** The console of a call, or undefined when it is over its limit. A heap that may be damaged is not asked. */
export function consoleOf(instance: Instance, bytesMax: number): readonly ConsoleLine[] | undefined {
  const { stop } = instance.meter;
  if (instance.dead || stop === 'memory') return [];
  instance.meter.arm(LINES_FUEL, LINES_MS);
  const told = attempt(instance, SOURCE_FILE, () => {
    const value = instance.call(instance.entry('lines'));
    return value === 0 ? undefined : instance.text(instance.utf8(value));
  });
  instance.meter.stop = stop ?? instance.meter.stop;
  return told.ok ? believe(instance, () => readLines(told.value, bytesMax)) : [];
}

/** Lines as the prelude tells them: whether there were too many, then `[level, text]` in order. */
function readLines(told: string, bytesMax: number): readonly ConsoleLine[] | undefined {
  if (told === '0[]') return [];
  const pairs = JSON.parse(told.slice(1)) as readonly (readonly [ConsoleLine['level'], string])[];
  const lines = pairs.map(([level, text]) => ({ level, text: text.toWellFormed() }));
  const bytes = lines.reduce((sum, { text }) => sum + encoder.encode(text).length + 1, 0);
  return told.startsWith('1') || bytes > bytesMax ? undefined : lines;
}
