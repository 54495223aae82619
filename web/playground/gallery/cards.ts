import type { GalleryTexts } from '../../texts/en/gallery.ts';

/** A scenario as the gallery shows it, before its code is loaded. */
export interface ScenarioCard {
  readonly id: keyof GalleryTexts['cards'];
  readonly name: string;
  /** Names of the capabilities that its script is about. */
  readonly tools: readonly string[];
}

export const CARDS: readonly ScenarioCard[] = [
  {
    id: 'bakery',
    name: 'Kestrel Street Bakery',
    tools: ['corpus.search', 'corpus.read', 'csv.query', 'calc.eval', 'notes.put'],
  },
  {
    id: 'mail',
    name: 'Brightwater Boat Hire',
    tools: ['mail.list', 'mail.read', 'mail.move', 'mail.send'],
  },
  {
    id: 'calendar',
    name: 'Larkfield Practice',
    tools: ['calendar.events', 'calendar.free', 'calendar.book', 'calendar.cancel'],
  },
  {
    id: 'shop',
    name: 'Pebble & Pine, returns',
    tools: ['orders.find', 'refund.issue', 'calc.eval'],
  },
  {
    id: 'sheet',
    name: 'Rowing club accounts',
    tools: ['sheet.read', 'sheet.sum', 'sheet.set'],
  },
  {
    id: 'wiki',
    name: 'Wiki of a workshop',
    tools: ['wiki.search', 'wiki.read', 'wiki.write'],
  },
  {
    id: 'library',
    name: 'Lending shelf of a street',
    tools: ['shelf.look', 'shelf.lend', 'shelf.move'],
  },
];
