import type { Label } from '../../../core/capability/guard.ts';
import { decode } from '../../../core/json/decode-within.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { PowerRefusal } from '../../sandbox/power-refusal.ts';
import type { ReadContent } from '../content/written.ts';
import type { HostPower } from './built-in-powers.ts';

const MOST = 20;
const QUERY_UNITS = 1_000;

/** The call that searches. */
export interface SearchCall {
  readonly content: ReadContent;
  readonly shows: (labels: readonly Label[]) => void;
  /** Says whether the call may search all content, by the run's grants for `content.read`. */
  readonly permit: (ticket: number) => Promise<Outcome<void>>;
}

/**
 * `sections.search(query, most)`: returns places to read, not their text. Headings are still a stranger's text, and
 * reveal the content's subject.
 */
export function searchingPower({ content, shows, permit }: SearchCall): HostPower {
  return async (args, ticket) => {
    const [query, most] = argumentsOf(args);
    shows(['private', 'untrusted']);
    const permitted = await permit(ticket);
    if (!permitted.ok) throw new PowerRefusal(permitted.refusal);
    const found = await content.search(query, most);
    return JSON.stringify(found);
  };
}

function argumentsOf(args: string): readonly [query: string, most: number] {
  const list = decode(encodeText(args));
  const [query, most, ...more] = list.ok && Array.isArray(list.value) ? (list.value as readonly unknown[]) : [];
  if (typeof query !== 'string' || query.length > QUERY_UNITS || more.length > 0)
    throw new TypeError(`sections.search takes a query of at most ${QUERY_UNITS} characters, and how many to show`);
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1 || most > MOST)
    throw new TypeError(`sections.search shows 1 to ${MOST} sections`);
  return [query, most];
}
