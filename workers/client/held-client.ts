import { refuse } from '../../core/errors.ts';
import { type HeldReceipt, heldIn } from '../../core/ledger/held.ts';
import { handlesNamed, heldParts, openedHandle } from '../../core/ledger/held-parts.ts';
import { type PayloadRef, unsalted } from '../../core/ledger/payload-ref.ts';
import { demand, STRING } from '../../core/option.ts';
import { pass } from '../../core/outcome.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { Runtime } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';

/** `rt.held` over the records and the payloads of a run. */
export function heldClient(kernel: Pick<Kernel, 'records' | 'payload' | 'handed' | 'clear'>): Runtime['held'] {
  const list = async (run_id: string): Promise<readonly HeldReceipt[]> => heldIn(unwrap(await kernel.records(run_id)));
  const read = async (run_id: string, ref: PayloadRef): Promise<Uint8Array | undefined> => {
    const bytes = unwrap(await kernel.payload(run_id, ref.sha256));
    return bytes && unsalted(ref, bytes);
  };
  return {
    sources: async () => unwrap(await kernel.handed()),
    clear: async (source) => {
      demand('source', source, STRING);
      unwrap(await kernel.clear(source));
    },
    list: async (run_id) => (await list(run_id)).map(({ outcome: _, ...row }) => row),
    open: async (run_id, handle) => {
      const row = (await list(run_id)).find((each) => each.handle === handle);
      if (row === undefined) return refuse('held_unknown', { handle: String(handle) });
      return pass(openedHandle(row, await read(run_id, row.outcome)));
    },
    parts: async (run_id, text) => {
      demand('text', text, STRING);
      const named = new Set(handlesNamed(text));
      const rows = named.size === 0 ? [] : (await list(run_id)).filter(({ handle }) => named.has(handle));
      const found = new Map<string, Uint8Array | undefined>();
      for (const { status, outcome } of rows)
        if (status === 'success') found.set(outcome.sha256, await read(run_id, outcome));
      return heldParts(text, rows, ({ sha256 }) => found.get(sha256));
    },
  };
}
