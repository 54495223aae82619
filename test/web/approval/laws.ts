/** Each way in which a card asks a person. */
export const RENDERERS = ['element', 'playground', 'gateway page', 'example server', 'elicitation'] as const;
export type Renderer = (typeof RENDERERS)[number];

type Cell = 'applies' | 'the host’s';

const everyCard = {
  element: 'applies',
  playground: 'applies',
  'gateway page': 'applies',
  'example server': 'applies',
} as const;
/** A host draws the text of an elicitation with buttons of its own: pointers and keys are its own, text and answer ours. */
const ofCards = { ...everyCard, elicitation: 'the host’s' } as const;
const ofAll = { ...everyCard, elicitation: 'applies' } as const;

/**
 * The laws of approval, with the renderers that they hold for. `core/approval` is asked about every sequence of events;
 * a renderer has a test of each law of its column.
 */
export const LAWS = {
  'the second click of a double click answers no card': ofCards,
  'a click while the host cancels a card does not answer the card in its place': ofCards,
  'a definition that is swapped under the pointer gets no yes': ofAll,
  'a yes to 20,000 characters waits until they were read to their end': ofAll,
  'a yes to a short text that is drawn long waits for its end': ofAll,
  'a word in two alphabets is told': ofAll,
  'bidi and zero-width characters are written out': ofAll,
  'of two questions, the click answers its own': ofAll,
  'an answer of an older card is no answer': ofAll,
  'Enter that is held down answers a single card': ofCards,
} as const satisfies { readonly [law: string]: { readonly [R in Renderer]: Cell } };
export type Law = keyof typeof LAWS;

/** The laws that a renderer has to have a test of. */
export type LawOf<R extends Renderer> = { [L in Law]: (typeof LAWS)[L][R] extends 'applies' ? L : never }[Law];

/** The table of laws and renderers, as the documentation prints it. */
export function lawTable(): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(LAWS).map(([law, cells]) => row([law, ...RENDERERS.map((each) => cells[each])]));
  return [row(['law', ...RENDERERS]), row(['law', ...RENDERERS].map(() => '---')), ...rows].join('\n');
}

export const MIXED = 'https://p\u0430ypal.example';
/** Few UTF-16 units, and six letters for each of them on the screen. */
export const SHORT_DRAWN_LONG = `${'\u200b'.repeat(500)}AND DELETE EVERYTHING`;
export const HIDDEN = 'pay \u202enow\u200b';
