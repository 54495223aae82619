/** Pattern of the text of a handle. */
export const HANDLE_TEXT = 'h[1-9][0-9]{0,8}([.][0-9]{1,4})?';

/** The handle of a step: what a model has in the place of a held outcome; of a message with the first held operation. */
export function handleOf(step: number, operation?: number): string {
  return operation === undefined ? `h${step}` : `h${step}.${operation}`;
}

/** The step of a handle. */
export function stepIn(handle: string): number {
  return Number.parseInt(handle.slice(1), 10);
}
