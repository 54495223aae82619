import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../core/index.ts';
import { capability, cases, load } from './guest.ts';

const BREAD = 'loaf,price,baked\nwhite,3.10,2025-10-03\n"rye, dark",4.20,2025-10-04\nwhite,0.20,2025-10-05\n';
const where = (column: string, op: string, value: JsonValue) => [{ column, op, value }];

describe('csv.query', () => {
  cases('csv.query', [
    { title: 'counts the rows', args: { text: BREAD }, gives: { matched: 3 } },
    { title: 'adds decimals exactly', args: { text: 'a\n0.1\n0.2\n', sum: 'a' }, gives: { matched: 2, sum: 0.3 } },
    {
      title: 'reads a quoted comma',
      args: { text: BREAD, where: where('price', 'eq', '4.20'), select: ['loaf'] },
      gives: { matched: 1, columns: ['loaf'], rows: [['rye, dark']] },
    },
    {
      title: 'reads a doubled quote and a line break in quotes',
      args: { text: 'a\n"say ""hi""\nthen"\n', select: ['a'] },
      gives: { matched: 1, columns: ['a'], rows: [['say "hi"\nthen']] },
    },
    {
      title: 'reads CRLF',
      args: { text: 'a,b\r\n1,2\r\n', select: ['b', 'a'] },
      gives: { matched: 1, columns: ['b', 'a'], rows: [['2', '1']] },
    },
    {
      title: 'reads a last row without its line end',
      args: { text: 'a,b\n1,', select: ['b'] },
      gives: { matched: 1, columns: ['b'], rows: [['']] },
    },
    {
      title: 'groups and adds up',
      args: { text: BREAD, group: 'loaf', sum: 'price' },
      gives: {
        matched: 3,
        sum: 7.5,
        groups: [
          { value: 'white', rows: 2, sum: 3.3 },
          { value: 'rye, dark', rows: 1, sum: 4.2 },
        ],
      },
    },
    {
      title: 'compares numbers as numbers',
      args: { text: 'n\n9\n10\n', where: where('n', 'gt', 9.5) },
      gives: { matched: 1 },
    },
    {
      title: 'compares texts as texts',
      args: { text: 'n\n9\n10\n', where: where('n', 'gt', '8') },
      gives: { matched: 1 },
    },
    {
      title: 'finds equal numbers in different spelling',
      args: { text: 'n\n1.50\n', where: where('n', 'eq', 1.5) },
      gives: { matched: 1 },
    },
    {
      title: 'compares dates by their text',
      args: { text: BREAD, where: where('baked', 'ge', '2025-10-04') },
      gives: { matched: 2 },
    },
    {
      title: 'shows no more rows than asked for',
      args: { text: BREAD, select: ['price'], limit: 1 },
      gives: { matched: 3, columns: ['price'], rows: [['3.10']] },
    },
    {
      title: 'treats a column called __proto__ as a column',
      args: { text: '__proto__\n7\n', sum: '__proto__', group: '__proto__' },
      gives: { matched: 1, sum: 7, groups: [{ value: '7', rows: 1, sum: 7 }] },
    },
    { title: 'reads a file it carries', args: { path: 'invoices.csv' }, gives: { matched: 24 } },
    {
      title: 'refuses a file it does not carry',
      args: { path: 'stock.json' },
      throws: /^RangeError: No file "stock\.json"\. The files are: invoices\.csv\./,
    },
    {
      title: 'refuses an inherited name for a file',
      args: { path: 'constructor' },
      throws: /^RangeError: No file "constructor"/,
    },
    {
      title: 'refuses a column that is not there',
      args: { text: BREAD, sum: 'cost' },
      throws: /^RangeError: No column "cost"\. The columns are: loaf, price, baked\./,
    },
    {
      title: 'refuses to add up what is not a number',
      args: { text: BREAD, sum: 'loaf' },
      throws: /^TypeError: "white" in column loaf is not a number/,
    },
    {
      title: 'refuses to take an empty cell for nought',
      args: { text: 'a,b\n1,\n', sum: 'b' },
      throws: /^TypeError: "" in column b is not a number/,
    },
    {
      title: 'refuses to look for a number inside a text',
      args: { text: BREAD, where: where('price', 'contains', 3) },
      throws: /^TypeError: contains needs a text/,
    },
    {
      title: 'refuses a row that is too short',
      args: { text: 'a,b\n1,2\n3\n' },
      throws: /^SyntaxError: Row 2 has 1 fields, the header has 2/,
    },
    {
      title: 'refuses a quote that is never closed',
      args: { text: 'a\n"open\n' },
      throws: /^SyntaxError: Not CSV: a quote is out of place/,
    },
    {
      title: 'refuses a quote in the middle of a field',
      args: { text: 'a\nbro"ken\n' },
      throws: /^SyntaxError: Not CSV: a quote is out of place in line 2/,
    },
    {
      title: 'refuses two columns of one name',
      args: { text: 'a,a\n1,2\n' },
      throws: /^SyntaxError: Two columns are called "a"/,
    },
    {
      title: 'refuses a total that no double holds',
      args: { text: `a\n${'999999999999\n'.repeat(10)}`, sum: 'a' },
      throws: /too large to be exact/,
    },
    {
      title: 'refuses more than 1000 groups',
      args: { text: `a\n${Array.from({ length: 1001 }, (_, n) => n).join('\n')}\n`, group: 'a' },
      throws: /^RangeError: More than 1000 groups/,
    },
  ]);

  test('csv.query gives back every cell of any well-formed table', async () => {
    const guest = await load(capability('csv.query'));
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é'), maxLength: 6 });
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const text = ['x,y', ...rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))].join(
          '\n',
        );
        expect(await guest({ text, select: ['x', 'y'] })).toMatchObject({ matched: rows.length, rows });
      }),
    );
  });

  test('csv.query reads a quoted field of 90,000 doubled quotes', async () => {
    const guest = await load(capability('csv.query'));
    const text = `a\n"${'""'.repeat(45_000)}"\n`;
    expect(await guest({ text })).toEqual({ matched: 1 });
  });
});

interface Description {
  readonly rows: number;
  readonly columns: readonly { readonly name: string }[];
}

describe('table.describe', () => {
  cases('table.describe', [
    {
      title: 'tells numbers, dates and texts apart',
      args: { text: 'n,d,t,e\n10,2025-10-03,x,\n9,2025-10-01,,\n' },
      gives: {
        rows: 2,
        columns: [
          { name: 'n', kind: 'number', empty: 0, distinct: 2, least: '9', most: '10' },
          { name: 'd', kind: 'date', empty: 0, distinct: 2, least: '2025-10-01', most: '2025-10-03' },
          { name: 't', kind: 'text', empty: 1, distinct: 1, least: 'x', most: 'x' },
          { name: 'e', kind: 'empty', empty: 2, distinct: 0 },
        ],
      },
    },
    {
      title: 'describes a header without rows',
      args: { text: 'a\n' },
      gives: { rows: 0, columns: [{ name: 'a', kind: 'empty', empty: 0, distinct: 0 }] },
    },
    {
      title: 'refuses a table with ragged rows',
      args: { text: 'a,b\n1\n' },
      throws: /^SyntaxError: Row 1 has 1 fields/,
    },
  ]);

  test('table.describe describes the invoices', async () => {
    const guest = await load(capability('table.describe'));
    const { rows, columns } = (await guest({ path: 'invoices.csv' })) as unknown as Description;
    expect(rows).toBe(24);
    expect(columns.find(({ name }) => name === 'date')).toMatchObject({
      kind: 'date',
      least: '2025-09-05',
      most: '2025-11-07',
    });
    expect(columns.find(({ name }) => name === 'net_gbp')).toMatchObject({
      kind: 'number',
      least: '-21.00',
      most: '252.00',
    });
  });
});

describe('json.pick', () => {
  const value: JsonValue = { a: [10, { 'b/c': 1, 'd~e': 2 }], '': 3, __proto__x: 4 };
  cases('json.pick', [
    { title: 'gives the whole document for the empty pointer', args: { value, pointer: '' }, gives: { value } },
    { title: 'steps into members and elements', args: { value, pointer: '/a/0' }, gives: { value: 10 } },
    { title: 'unescapes the slash', args: { value, pointer: '/a/1/b~1c' }, gives: { value: 1 } },
    { title: 'unescapes the tilde', args: { value, pointer: '/a/1/d~0e' }, gives: { value: 2 } },
    { title: 'finds the member without a name', args: { value, pointer: '/' }, gives: { value: 3 } },
    { title: 'finds null, which is a value', args: { value: { n: null }, pointer: '/n' }, gives: { value: null } },
    {
      title: 'finds an own member called __proto__',
      args: { value: JSON.parse('{"__proto__":5}') as JsonValue, pointer: '/__proto__' },
      gives: { value: 5 },
    },
    {
      title: 'picks from a file it carries',
      args: { path: 'stock.json', pointer: '/flours/rye/kg' },
      gives: { value: 38 },
    },
    {
      title: 'refuses an inherited member',
      args: { value, pointer: '/constructor' },
      throws: /^RangeError: Nothing at "constructor"/,
    },
    {
      title: 'refuses __proto__ where it is not a member',
      args: { value, pointer: '/__proto__' },
      throws: /^RangeError: Nothing at "__proto__"/,
    },
    {
      title: 'refuses the length of a list',
      args: { value, pointer: '/a/length' },
      throws: /^RangeError: Nothing at "length"/,
    },
    {
      title: 'refuses an index with a leading zero',
      args: { value, pointer: '/a/00' },
      throws: /^RangeError: Nothing at "00"/,
    },
    {
      title: 'refuses the element after the last',
      args: { value, pointer: '/a/-' },
      throws: /^RangeError: Nothing at "-"/,
    },
    {
      title: 'refuses to step into a text',
      args: { value: 'abc', pointer: '/0' },
      throws: /^RangeError: Nothing at "0"/,
    },
    {
      title: 'refuses a pointer without its slash',
      args: { value, pointer: 'a' },
      throws: /^SyntaxError: A pointer is empty or starts with/,
    },
    { title: 'refuses a lone tilde', args: { value, pointer: '/a~' }, throws: /^SyntaxError: In a pointer/ },
    {
      title: 'refuses a file it does not carry',
      args: { path: 'invoices.csv', pointer: '' },
      throws: /^RangeError: No file "invoices\.csv"/,
    },
  ]);
});
