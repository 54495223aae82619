import { describe, expect, test } from 'vitest';
import { CORPUS } from '../../../web/playground/demo/corpus.ts';
import { capability, load } from './guest.ts';

interface Shelf {
  readonly kg: number;
  readonly grams_per_loaf: number;
  readonly supplier: string;
  readonly next_delivery: { readonly date: string; readonly bags: number } | null;
}
interface Stock {
  readonly counted_on: string;
  readonly flours: Readonly<Record<'strong-white' | 'wholemeal' | 'rye', Shelf>>;
  readonly larder: readonly { readonly supplier: string }[];
  readonly packaging: readonly { readonly supplier: string }[];
}
interface Event {
  readonly date: string;
  readonly title: string;
  readonly note?: string;
}

const file = (path: string) => CORPUS[path] ?? '';
const stock = JSON.parse(file('stock.json')) as Stock;
const { events } = JSON.parse(file('calendar.json')) as { readonly events: readonly Event[] };
const notes = Object.keys(CORPUS).filter((path) => path.startsWith('notes/') && path !== 'notes/delivery-slip.md');
const headings = (path: string) => file(path).match(/^#+ .+$/gm) ?? [];
const rows = file('invoices.csv').trimEnd().split('\n').slice(1).map(cells);

/** The invoices use no quote inside a quoted cell. */
function cells(line: string): { readonly [name: string]: string } {
  const [
    invoice = '',
    date = '',
    supplier = '',
    category = '',
    item = '',
    quantity = '',
    unit = '',
    price = '',
    net = '',
    status = '',
  ] = (line.match(/"[^"]*"|[^,]+/g) ?? []).map((cell) => cell.replaceAll('"', ''));
  return { invoice, date, supplier, category, item, quantity, unit, price, net, status };
}

/** Grams by ingredient. */
function recipe(version: 1 | 2): Map<string, number> {
  const lines = file(`recipes/harbour-loaf.v${version}.md`).matchAll(/^- (.+): (\d+) g$/gm);
  return new Map([...lines].map(([, name = '', grams = '']) => [name, Number(grams)]));
}
const total = (grams: Map<string, number>) => [...grams.values()].reduce((sum, one) => sum + one, 0);

describe('the bakery corpus', () => {
  test('the corpus has eight notes of about sixty sections, and stays within 120 KB', () => {
    expect(notes).toHaveLength(8);
    expect(notes.flatMap(headings).length).toBeGreaterThanOrEqual(60);
    expect(Object.values(CORPUS).join('').length).toBeLessThan(120_000);
  });

  test('each file of the corpus is plain text with LF, one line feed at its end, and no invisible character', () => {
    for (const [path, text] of Object.entries(CORPUS)) {
      expect(text, path).toMatch(/[^\n]\n$/);
      expect(text, path).not.toMatch(/[\r\t\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/);
    }
  });

  test('no note has a heading twice', () => {
    for (const path of notes) expect(new Set(headings(path)).size, path).toBe(headings(path).length);
  });

  test('each note refers only to files of the corpus', () => {
    for (const path of notes) {
      for (const [, name = ''] of file(path).matchAll(/`([a-z-]+\.(?:md|csv|json))`/g)) {
        expect(
          [`notes/${name}`, name].some((one) => Object.hasOwn(CORPUS, one)),
          `${path}: ${name}`,
        ).toBe(true);
      }
    }
  });
});

describe('the invoices', () => {
  test('the invoices are 24, each with its own number, in the order of their dates', () => {
    expect(rows).toHaveLength(24);
    expect(new Set(rows.map(({ invoice }) => invoice)).size).toBe(24);
    const dates = rows.map(({ date = '' }) => date);
    expect(dates).toEqual(dates.toSorted());
  });

  test('quantity times price is the net amount in each invoice', () => {
    for (const { invoice, quantity, price, net } of rows) {
      expect(Math.round(Number(quantity) * Number(price) * 100), invoice).toBe(Math.round(Number(net) * 100));
    }
  });

  test('the note and the stock name the suppliers of the invoices', () => {
    const known = file('notes/suppliers.md');
    for (const { supplier } of [...rows, ...Object.values(stock.flours), ...stock.larder, ...stock.packaging]) {
      expect(known).toContain(supplier ?? '?');
    }
    expect(new Set(rows.map(({ supplier }) => supplier)).size).toBe(6);
  });

  test('the invoices show £606.60 of flour paid to Marlow Mill for October', () => {
    const paid = rows.filter(
      (row) => row['supplier'] === 'Marlow Mill' && row['category'] === 'flour' && row['status'] === 'paid',
    );
    const october = paid.filter((row) => row['date']?.startsWith('2025-10'));
    expect(october).toHaveLength(5);
    expect(october.reduce((pence, row) => pence + Math.round(Number(row['net']) * 100), 0)).toBe(60_660);
  });

  test('the invoice that the note says is settled in November is open', () => {
    const october = rows.filter((row) => row['date']?.startsWith('2025-10') && row['status'] === 'open');
    expect(october.map((row) => [row['supplier'], row['date'], row['net']])).toEqual([
      ['Marlow Mill', '2025-10-31', '252.00'],
    ]);
  });

  test('an invoice credits the wet bag that the note and the calendar mention', () => {
    const credit = rows.find((row) => row['invoice'] === 'MM-C017');
    expect(credit).toMatchObject({ date: '2025-10-28', net: '-21.00' });
    expect(file('notes/suppliers.md')).toContain('(MM-C017, £21.00, dated 28 October)');
    expect(events.find(({ date }) => date === '2025-10-17')?.note).toContain('one of them wet');
  });

  test('the price of strong white is the price in the note for each month', () => {
    const white = rows.filter((row) => row['item']?.includes('strong white'));
    for (const { date = '', price } of white) expect(price, date).toBe(date < '2025-10-01' ? '20.60' : '21.00');
  });
});

describe('the calendar', () => {
  test('the calendar is in order, and has only days that exist', async () => {
    const shift = await load(capability('date.shift'));
    const dates = events.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted());
    for (const date of dates) expect(await shift({ date })).toMatchObject({ date });
  });

  test('the calendar has every invoiced delivery of flour, on its day, with its bags', () => {
    const deliveries = rows.filter((row) => row['category'] === 'flour' && Number(row['quantity']) > 0);
    for (const { date = '', item = '', quantity = '' } of deliveries.filter(
      (row) => (row['date'] ?? '') >= '2025-10',
    )) {
      const event = events.find((one) => one.date === date && one.title === 'Marlow Mill delivery');
      expect(event?.note, date).toContain(`${quantity} bags ${item.replace(' flour', '')}`);
    }
  });

  test('the calendar has the next delivery of each flour in the stock', () => {
    for (const [flour, { next_delivery }] of Object.entries(stock.flours)) {
      if (next_delivery === null) continue;
      const note = events.find(({ date }) => date === next_delivery.date)?.note;
      expect(note).toContain(`${next_delivery.bags} bags ${flour.replace('-', ' ')}`);
    }
  });

  test.each([
    ['2025-09-22', 'Monday', 'notes/tasting.md', '## First round, 22 September'],
    ['2025-10-06', 'Monday', 'notes/tasting.md', '## Second round, 6 October'],
    ['2025-10-20', 'Monday', 'notes/tasting.md', '## Third round, 20 October'],
    ['2025-10-28', 'Tuesday', 'notes/tasting.md', 'Tuesday 28 October'],
    ['2025-11-10', 'Monday', 'notes/ovens.md', 'on a Monday, next on 10 November'],
    ['2025-11-20', 'Thursday', 'notes/winter-plan.md', 'Thursday 20 November'],
    ['2025-12-06', 'Saturday', 'notes/winter-plan.md', 'Saturday 6 December'],
    ['2025-12-24', 'Wednesday', 'notes/people.md', 'last bake on 24 December'],
    ['2026-01-06', 'Tuesday', 'notes/people.md', 'open again on 6 January'],
  ])('the calendar has %s, a %s, as %s says', async (date, weekday, path, words) => {
    const shift = await load(capability('date.shift'));
    expect(events.map((event) => event.date)).toContain(date);
    expect(await shift({ date })).toEqual({ date, weekday });
    expect(file(path)).toContain(words);
  });
});

describe('the recipes', () => {
  test.each([
    [1, 9000, 900],
    [2, 9500, 950],
  ] as const)('the weights of recipe %i add up to %i g of dough, %i g a loaf', (version, dough, loaf) => {
    expect(total(recipe(version))).toBe(dough);
    expect(file(`recipes/harbour-loaf.v${version}.md`)).toContain(
      `Dough in all: ${dough} g. Scale at ${loaf} g a loaf.`,
    );
    expect(file(`recipes/harbour-loaf.v${version}.md`)).toContain(`${loaf} g of dough gives`);
  });

  test('the recipes keep 5000 g of flour, as the tasting note says, and raise the water from 64 to 67 parts', () => {
    for (const [version, water] of [
      [1, 64],
      [2, 67],
    ] as const) {
      const grams = recipe(version);
      const flour = [...grams].reduce((sum, [name, one]) => (name.includes('flour') ? sum + one : sum), 0);
      expect(flour).toBe(5000);
      expect(((grams.get('water') ?? 0) / flour) * 100).toBe(water);
    }
  });

  test('the recipe uses the grams per loaf that the stock names', () => {
    const grams = recipe(2);
    for (const [flour, shelf] of Object.entries(stock.flours)) {
      expect(grams.get(`${flour.replace('-', ' ')} flour`), flour).toBe(shelf.grams_per_loaf * 10);
    }
  });

  test('the recipes need the leaven that the note says for six tubs', () => {
    expect(file('notes/leaven.md')).toContain(`${(recipe(1).get('leaven') ?? 0) * 6} g under recipe 1`);
    expect(file('notes/leaven.md')).toContain(`${(recipe(2).get('leaven') ?? 0) * 6} g under recipe 2`);
  });

  test('the rye in the stock is two bags less five bake days of sixty loaves', () => {
    const bought = rows
      .filter((row) => row['item'] === 'rye flour')
      .reduce((kg, row) => kg + Number(row['quantity']) * 25, 0);
    expect(stock.flours.rye.kg).toBe(bought - (5 * 60 * stock.flours.rye.grams_per_loaf) / 1000);
    expect(stock.counted_on).toBe('2025-11-01');
  });
});
