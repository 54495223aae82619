import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/corpus.read.js?raw';
import { type Files, link } from './link.ts';
import { closed, PATH, words } from './schema.ts';

/** A window on a file, in the slice grammar of the content substrate. */
export function corpusRead(files: Files): CapabilityManifest {
  return {
    name: 'corpus.read',
    version: '1.0.0',
    description:
      'Reads a slice of a file: lines[a:b] or chars[a:b] (from 0, end not included), head(n) or tail(n) lines. At most 6,000 characters.',
    args: closed({ path: PATH, slice: words(60, 'For example "lines[8:17]"; never ALL.') }),
    result: closed({ path: { type: 'string' }, slice: { type: 'string' }, text: { type: 'string', maxLength: 6000 } }),
    effect: 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesIn: 2048, bytesOut: 32 << 10 },
    source: link(source, files),
  };
}
