import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/notes.get.js?raw';
import { type Files, link } from './link.ts';
import { closed, list, words } from './schema.ts';

const SECTION = closed({
  heading: { type: 'string' },
  level: { type: 'integer', minimum: 1, maximum: 6 },
  slice: { type: 'string', description: 'What corpus.read takes to read this section.' },
});

export function notesGet(files: Files): CapabilityManifest {
  return {
    name: 'notes.get',
    version: '1.0.0',
    description:
      'Gives the outline of a note, every heading with its slice, and the text under one heading if it is named.',
    args: closed(
      { name: words(100, 'Such as "suppliers".'), heading: words(200, 'Exactly as the outline gives it.') },
      ['heading'],
    ),
    result: closed({ path: { type: 'string' }, sections: list(SECTION, 500), text: { type: 'string' } }, ['text']),
    effect: 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesIn: 2048, bytesOut: 32 << 10 },
    source: link(source, files),
  };
}
