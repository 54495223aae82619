import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/corpus.search.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, list, words } from './schema.ts';

const HIT = closed({
  path: { type: 'string' },
  line: count(100_000, 'Counted from 0, as slices count.'),
  excerpt: { type: 'string', maxLength: 400 },
});

/** Suggests places to read; only text that was read can justify an answer. */
export function corpusSearch(files: Files): CapabilityManifest {
  return {
    name: 'corpus.search',
    version: '1.0.0',
    description:
      'Finds lines that hold every word of the query. These are candidates: read the slice before you rely on it.',
    args: closed(
      {
        query: words(200, 'One or more words; case does not matter.'),
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Hits shown; 10 if left out.' },
      },
      ['limit'],
    ),
    result: closed({ hits: list(HIT, 20), more: count(100_000, 'Hits that are not shown.') }),
    effect: 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 4_000_000, bytesIn: 2048, bytesOut: 16 << 10 },
    source: link(source, files),
  };
}
