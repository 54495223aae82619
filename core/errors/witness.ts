import type { DetailsIn } from './details.ts';
import { type Refuse, refuser } from './refuse.ts';

/** Codes for faults of a log that its checkpoints and published files show. */
export const WITNESS_CODES = {
  checkpoint_unsigned: {
    class: 'storage',
    what: (d: { readonly size: number; readonly what: string }): string =>
      `The checkpoint of ${d.size} records is not to be trusted: ${d.what}`,
    todo: 'Ask the owner of the log for its checkpoint, and for its key on another way.',
  },
  log_forked: {
    class: 'storage',
    what: (d: { readonly earlier: number; readonly size: number; readonly what: string }): string =>
      `No log has both checkpoints, of ${d.earlier} and of ${d.size} records: ${d.what}`,
    todo: 'Keep both as evidence: records were rewritten, or two readers were shown two logs.',
  },
  log_rolled_back: {
    class: 'storage',
    what: (d: { readonly earlier: number; readonly size: number }): string =>
      `The log became shorter: a checkpoint of ${d.size} records came after a checkpoint of ${d.earlier}`,
    todo: 'Keep both as evidence: records were lost or removed, or an older copy was put back.',
  },
  tiles_malformed: {
    class: 'storage',
    what: (d: { readonly what: string }): string => `Not the tiles of this log: ${d.what}`,
    todo: 'Publish the log once more; nothing was compared.',
  },
} as const;

interface WitnessDetails extends DetailsIn<typeof WITNESS_CODES> {}

export const refuse: Refuse<WitnessDetails> = /* @__PURE__ */ refuser(WITNESS_CODES);
