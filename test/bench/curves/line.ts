/** The look of the lines of a plot: they differ in colour, dashes and marks, so that no reader needs the colour. */

const TONES = ['ours', 'other'] as const;
const DASHES = ['', ' stroke-dasharray="7 5"', ' stroke-dasharray="2 4"'];
const MARKS = [
  (x: number, y: number) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
  (x: number, y: number) => `M${x - 4} ${y - 4}h8v8h-8z`,
  (x: number, y: number) => `M${x - 5} ${y + 4}h10l-5 -9z`,
  (x: number, y: number) => `M${x} ${y - 6}l6 6l-6 6l-6 -6z`,
  (x: number, y: number) => `M${x - 5} ${y - 4}h10l-5 9z`,
];

/** Colour of the nth line, as the end of its class. */
export function toneOf(nth: number): string {
  return TONES[nth % TONES.length] ?? 'ours';
}

/** Dashes of the nth line, as an attribute. */
export function dashOf(nth: number): string {
  return DASHES[Math.floor(nth / TONES.length) % DASHES.length] ?? '';
}

/** Path of a mark of the nth line around a place. */
export function markOf(nth: number, x: number, y: number): string {
  return MARKS[nth % MARKS.length]?.(x, y) ?? '';
}
