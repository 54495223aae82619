import { define } from '../../core/capability/define.ts';
import { sentencesOf } from '../../core/errors/refuse.ts';
import { CODES } from '../../core/errors.ts';
import type { Outcome, Refusal } from '../../core/outcome.ts';

// What only a program with a fault in its options needs. It loads then.

/** Judges a definition with functions, which does not cross to the kernel. */
export function judge(definition: object): Outcome<unknown> {
  return define(definition);
}

/** The refusal of an item with its place in the program's options, for example `/grants/0/uses`. */
export function placedAt(refusal: Refusal, item: string): Refusal {
  // the sandbox of a page without its header refuses each definition: no item is at fault
  if (!Object.hasOwn(CODES, refusal.code)) return refusal;
  const pointer = `${item}${refusal.pointer ?? ''}`;
  const { message } = refusal;
  const { todo } = CODES[refusal.code];
  const clause = message.endsWith(todo) ? message.slice(0, -todo.length).trimEnd() : message;
  const before = ` at ${refusal.pointer || 'the top level'}.`;
  const said = refusal.pointer !== undefined && clause.endsWith(before) ? clause.slice(0, -before.length) : clause;
  return { ...refusal, pointer, message: sentencesOf(said, pointer, todo) };
}
