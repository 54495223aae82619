import type { JsonValue } from '../../core/index.ts';

/** UTF-16 units of a held value that are shown among words. */
const SHOWN_MAX = 2000;

/** A held value as text for showing: a string as it is, another value as JSON. `more`: characters that are left out. */
export function heldText(value: JsonValue): { readonly text: string; readonly more: number } {
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  if (whole.length <= SHOWN_MAX) return { text: whole, more: 0 };
  const text = whole.slice(0, SHOWN_MAX).toWellFormed();
  return { text, more: whole.length - SHOWN_MAX };
}
