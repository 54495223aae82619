import { BUDGETS, type JsonObject } from '../../../core/index.ts';
import type { ScriptedMove, ScriptMove } from './moves.ts';
import { MOVES } from './script.ts';

/** A bounded slice of a symbol's content. */
interface Window {
  readonly kind: 'read';
  readonly symbol: string;
  readonly slice: string;
  readonly goal: string;
}

/** Budgets of each message: below the budgets of the run, because a message can only lower them. */
const SPENDS = { ...BUDGETS, max_bytes_expanded: 800 };

const PAYING = 'Read what counts as paid';
const DONE =
  'Done. Eighteen messages, eighteen receipts, the refused ones included. Verify the ledger, or play it again.';

/** Slices of the symbol's content, in place of reading the paper by a capability. */
const WINDOWS: { readonly [path: string]: readonly ScriptedMove<Window>[] } = {
  'notes/suppliers.md': [
    {
      move: read('@BAKERY/SUPPLIERS', 'ALL', PAYING),
      caption: 'ALL has no end, so it is not a window. The port does not shorten it, and refuses the message.',
      ending: { end: 'refused', code: 'slice_unbounded' },
    },
    {
      move: read('@BAKERY/SUPPLIERS', 'head(17)', PAYING),
      caption: 'This is more than the 800 bytes that the message allows, so no byte is read.',
      ending: { end: 'failed', code: 'budget_bytes' },
    },
    {
      move: read('@BAKERY/PAYING', 'head(7)', PAYING),
      caption: 'Seven lines of a section. The receipt names the slice and the hash of its exact text.',
      ending: { end: 'completed' },
    },
  ],
  'notes/delivery-slip.md': [
    {
      move: read('@BAKERY/SLIP', 'head(18)', 'Check the delivery that is still open'),
      caption:
        'This file was poisoned: it gives orders to “the assistant”. It is read, and marked: strangers wrote it.',
      ending: { end: 'completed' },
    },
  ],
};

/** The demo as messages of the Catalytic form: each read is a slice, and each call is an EXECUTE. */
export const MESSAGES: readonly ScriptedMove<ScriptMove | Window>[] = MOVES.flatMap(asMessages);

function asMessages(each: ScriptedMove): readonly ScriptedMove<ScriptMove | Window>[] {
  const { move } = each;
  if (move.kind === 'finish') return [{ ...each, caption: DONE }];
  if (move.tool === 'net.fetch') return [{ ...each, ending: { end: 'refused', code: 'symbol_unknown' } }];
  return move.tool === 'corpus.read' ? (WINDOWS[move.args['path'] as string] ?? []) : [each];
}

/** Catalytic Chat Contract, Message: every member is said. */
export function messageOf(move: ScriptMove | Window): JsonObject {
  if (move.kind === 'finish') return message(move.message, []);
  if (move.kind === 'call')
    return message(move.goal, [{ type: 'EXECUTE', target: `@TOOLS/${move.tool}`, params: { args: move.args } }]);
  return message(move.goal, [{ type: 'READ', target: move.symbol, params: { slice: move.slice } }]);
}

function message(intent: string, ops: readonly JsonObject[]): JsonObject {
  const refs = ops.map(({ target }) => target as string);
  return { intent, refs, ops, budgets: SPENDS, required_outputs: [] };
}

function read(symbol: string, slice: string, goal: string): Window {
  return { kind: 'read', symbol, slice, goal };
}
