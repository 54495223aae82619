import { decode, defineTool, isObject, type ToolDefinition, ToolError } from '../../../../core/index.ts';
import { readSetting, writeSetting } from '../../parts/local-storage.ts';
import guestbook from './papers/guestbook.md?raw';

interface Book {
  readonly book: string;
  readonly title: string;
  readonly place: Place;
  /** Empty for a book that nobody has. */
  readonly lent_to: string;
}

const PLACES = ['fiction', 'atlases', 'repairs'] as const;
type Place = (typeof PLACES)[number];

/** The shelf as it was at first. All books and people are invented. */
const BOOKS: readonly Book[] = [
  { book: 'b-1', title: 'Walden', place: 'fiction', lent_to: '' },
  { book: 'b-2', title: 'The Waves', place: 'fiction', lent_to: '' },
  { book: 'b-3', title: 'Atlas of the coast', place: 'atlases', lent_to: '' },
  { book: 'b-4', title: 'Middlemarch', place: 'fiction', lent_to: 'Ida' },
];

const KEY = 'sallyport.library';
/** The changes of this page, where the browser stores nothing. */
let unstored = '{}';

/** What is stored may come from another version of the page: an unknown value counts as none. */
function readShelf(): readonly Book[] {
  const stored = decode(new TextEncoder().encode(readSetting(KEY) ?? unstored));
  const changes = stored.ok && isObject(stored.value) ? stored.value : {};
  return BOOKS.map((one) => {
    const change = changes[one.book];
    if (!isObject(change)) return one;
    const place = PLACES.find((each) => each === change['place']) ?? one.place;
    const lent_to = change['lent_to'];
    return { ...one, place, lent_to: typeof lent_to === 'string' ? lent_to.slice(0, 40) : one.lent_to };
  });
}

function writeBook(book: string, change: Partial<Pick<Book, 'place' | 'lent_to'>>): void {
  const next = readShelf().map(({ title: _, ...one }) => (one.book === book ? { ...one, ...change } : one));
  unstored = JSON.stringify(Object.fromEntries(next.map(({ book: name, ...one }) => [name, one])));
  writeSetting(KEY, unstored);
}

function found(book: string): Book {
  const one = readShelf().find((each) => each.book === book);
  if (one === undefined) throw new ToolError('no_book', 'The shelf has no such book.');
  return one;
}

const BOOK = { type: 'string', pattern: '^b-[1-9]$', description: 'As shelf.look gives it.' } as const;
const MEMBER = { type: 'string', minLength: 1, maxLength: 40, description: 'Who takes the book.' } as const;
const PLACE = { enum: PLACES, description: 'Part of the shelf.' } as const;
const LENT_TO = { type: 'string', maxLength: 40 } as const;

const look = defineTool({
  name: 'shelf.look',
  version: '1.0.0',
  description: 'Lists the books of the shelf, and reads its guest book. Everybody writes into the guest book.',
  effect: 'read',
  labels: ['untrusted'],
  args: { type: 'object', properties: {}, additionalProperties: false },
  result: {
    type: 'object',
    properties: {
      books: {
        type: 'array',
        maxItems: 20,
        items: {
          type: 'object',
          properties: { book: BOOK, title: { type: 'string', maxLength: 80 }, place: PLACE, lent_to: LENT_TO },
          required: ['book', 'title', 'place', 'lent_to'],
          additionalProperties: false,
        },
      },
      guestbook: { type: 'string', maxLength: 4000 },
    },
    required: ['books', 'guestbook'],
    additionalProperties: false,
  },
  run: () => ({ books: readShelf(), guestbook }),
});

const lend = defineTool({
  name: 'shelf.lend',
  version: '1.0.0',
  description: 'Lends a book that nobody else has.',
  effect: 'write',
  labels: [],
  args: {
    type: 'object',
    properties: { book: BOOK, member: MEMBER, days: { type: 'integer', minimum: 1, maximum: 60 } },
    required: ['book', 'member', 'days'],
    additionalProperties: false,
  },
  result: {
    type: 'object',
    properties: { book: BOOK, before: LENT_TO },
    required: ['book', 'before'],
    additionalProperties: false,
  },
  run: ({ book, member }) => {
    const before = found(book).lent_to;
    if (before !== '' && before !== member) throw new ToolError('lent', 'Somebody else has this book.');
    writeBook(book, { lent_to: member });
    return { book, before };
  },
  revert: ({ args: { book, member }, result }) => {
    if (found(book).lent_to !== member) throw new ToolError('changed', `${member} does not have this book any more.`);
    writeBook(book, { lent_to: result.before });
  },
});

const move = defineTool({
  name: 'shelf.move',
  version: '1.0.0',
  description: 'Moves a book to another part of the shelf.',
  effect: 'write',
  labels: [],
  args: {
    type: 'object',
    properties: { book: BOOK, place: PLACE },
    required: ['book', 'place'],
    additionalProperties: false,
  },
  result: {
    type: 'object',
    properties: { book: BOOK, before: PLACE },
    required: ['book', 'before'],
    additionalProperties: false,
  },
  run: ({ book, place }) => {
    const before = found(book).place;
    writeBook(book, { place });
    return { book, before };
  },
  revert: ({ args: { book, place }, result }) => {
    if (found(book).place !== place) throw new ToolError('changed', `The book does not stand under ${place} any more.`);
    writeBook(book, { place: result.before });
  },
});

/** Page tools: the page that registers them carries them out, and keeps the shelf in the storage of its browser. */
export const LIBRARY_TOOLS: readonly ToolDefinition[] = [look, lend, move];
