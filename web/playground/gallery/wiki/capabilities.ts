import { link } from '../../../../sandbox/capabilities/link.ts';
import { closed, count, list, words } from '../../../../sandbox/capabilities/schema.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import readSource from '../guest/wiki.read.js?raw';
import searchSource from '../guest/wiki.search.js?raw';
import writeSource from '../guest/wiki.write.js?raw';
import { PAGES } from './papers.ts';

const PAGE = { type: 'string', pattern: '^[a-z][a-z-]{0,39}$', description: 'Name of a page, such as "policy".' };
const TEXT = { type: 'string', minLength: 1, maxLength: 20_000 };

const search: CapabilityDefinition = {
  name: 'wiki.search',
  version: '1.0.0',
  description: 'Finds lines that hold every word of the query, with their pages. Read a page before you rely on it.',
  args: closed({ query: words(200, 'One or more words; case does not matter.') }),
  result: closed({
    hits: list(closed({ page: PAGE, line: { type: 'string', maxLength: 200 } }), 20),
    more: count(10_000, 'Lines that are not shown.'),
  }),
  effect: 'read',
  source: link(searchSource, PAGES),
};

const read: CapabilityDefinition = {
  name: 'wiki.read',
  version: '1.0.0',
  description: 'Reads the Markdown of a published page.',
  args: closed({ page: PAGE }),
  result: closed({ page: PAGE, text: TEXT }),
  effect: 'read',
  source: link(readSource, PAGES),
};

const write: CapabilityDefinition = {
  name: 'wiki.write',
  version: '1.0.0',
  description: 'Keeps a new version of a page on this device as a draft, under a number. It is not published.',
  args: closed({ page: PAGE, text: TEXT, summary: words(200, 'One line on the change.') }),
  result: closed({ page: PAGE, draft: { type: 'integer', minimum: 1 }, lines: count(20_000) }),
  effect: 'write',
  powers: ['store.get', 'store.put'],
  source: writeSource,
};

export const WIKI_CAPABILITIES: readonly CapabilityDefinition[] = [search, read, write];
