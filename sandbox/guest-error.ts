import type { GuestError } from '../core/errors/details.ts';

/** Place in a source; line and column count from 1. */
export type SourcePlace = Required<Pick<GuestError, 'line' | 'column'>>;

/** Lengths to which the host cuts a guest's own words, in UTF-16 code units. */
export const ERROR_TEXT = { name: 128, message: 2048, stack: 4096 } as const;

/**
 * Reads a prelude's report about a thrown value: `[name, message, stack]`, each cut to size by the prelude. All of it
 * is the guest's text. The position is the innermost frame in the author's own file.
 */
export function readError(text: string, fileName: string): GuestError {
  const [name = 'Error', message = '', stack = ''] = JSON.parse(text) as readonly string[];
  return { name: name.toWellFormed(), message: message.toWellFormed(), ...placeIn(stack, fileName) };
}

/**
 * The innermost frame of a stack that is in this file. The engine keeps positions of calls and members only: between
 * two of them it gives the earlier position, so a loop that only counts is placed at the start of its function.
 */
export function placeIn(stack: string, fileName: string): SourcePlace | undefined {
  const at = stack.indexOf(`${fileName}:`);
  const [, line, column] = /^(\d{1,9}):(\d{1,9})/.exec(at < 0 ? '' : stack.slice(at + fileName.length + 1)) ?? [];
  return line === undefined || column === undefined ? undefined : { line: Number(line), column: Number(column) };
}
