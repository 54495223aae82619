import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import readSource from './guest/content.read.js?raw';
import searchSource from './guest/content.search.js?raw';
import { closed, count, list, words } from './schema.ts';

const FOUND = closed({
  section_id: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'What corpus.read takes.' },
  path: { type: 'string' },
  headings: list({ type: 'string' }, 100),
  line_start: count(100_000_000),
  line_end: count(100_000_000),
  symbols: list({ type: 'string' }, 100),
});

/** Suggests places to read; only text that was read can justify an answer. */
const search: CapabilityManifest = {
  name: 'corpus.search',
  version: '2.0.0',
  description: 'Finds sections that hold every word of the query, the best first. These are candidates: read them.',
  args: closed(
    {
      query: words(200, 'One or more words; case does not matter.'),
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Sections shown; 10 if left out.' },
    },
    ['limit'],
  ),
  result: closed({ sections: list(FOUND, 20), more: count(100_000_000, 'Sections that are not shown.') }),
  effect: 'read',
  labels: ['private', 'untrusted'],
  powers: ['sections.search'],
  limits: CALL_LIMITS,
  source: searchSource,
};

const read: CapabilityManifest = {
  name: 'corpus.read',
  version: '2.0.0',
  description:
    'Reads a slice of a section or symbol: lines[a:b] or chars[a:b] (from 0, end not included), head(n) or tail(n) lines.',
  args: closed({
    ref: words(500, 'A symbol such as "@BAKERY/OVENS", or the id of a section.'),
    slice: words(60, 'For example "lines[8:17]"; never ALL.'),
  }),
  result: closed({ ref: { type: 'string' }, slice: { type: 'string' }, text: { type: 'string' } }),
  effect: 'read',
  labels: ['private', 'untrusted'],
  powers: ['sections.expand'],
  limits: CALL_LIMITS,
  source: readSource,
};

/**
 * The runtime's content for dialects other than Catalytic: search by words, read by slices under the budgets. Each use
 * needs a grant for `content.read` as well; a search needs it without a constraint.
 */
export const CORPUS_CAPABILITIES: readonly CapabilityManifest[] = [search, read];
