import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/notes.put.js?raw';
import { link } from './link.ts';
import { closed, count } from './schema.ts';

const NAME = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,59}$', description: 'Lower case, digits and hyphens.' };
const TEXT = { type: 'string', minLength: 1, maxLength: 4000 };

/** Has the effect `write`: the ledger keeps the note for good, and a person is asked first. */
export const notesPut: CapabilityManifest = {
  name: 'notes.put',
  version: '1.0.0',
  description:
    'Keeps a note. It is kept in the ledger, in the receipt of this very call; it does not appear among the files that other capabilities read.',
  args: closed({ name: NAME, text: TEXT }),
  result: closed({
    kept_in: { const: 'receipt' },
    note: closed({ name: NAME, text: TEXT, lines: count(4000) }),
  }),
  effect: 'write',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 500_000, bytesIn: 32 << 10, bytesOut: 32 << 10 },
  source: link(source),
};
