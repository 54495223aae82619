import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSlice } from '../../../core/content/slice.ts';
import { isSlice, SLICE_PATTERN } from '../../../core/content/slice-form.ts';
import { isSymbol } from '../../../core/content/target.ts';
import * as form from '../../../core/ledger/form.ts';
import { withFiles } from '../../../sandbox/capabilities/index.ts';
import { caseCount } from '../../cases.ts';

/** Sources of the product, by path. */
function sources(): ReadonlyMap<string, string> {
  const names = ['core', 'sandbox', 'workers', 'web'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const code = names.filter((name) => /\.(ts|js)$/.test(name) && !/\.generated\./.test(name));
  return new Map(code.map((name) => [name.replaceAll('\\', '/'), readFileSync(name, 'utf8')]));
}

/** A regular expression that begins like the grammar. */
const COPIES = { slice: /\bhead\|tail\b|\blines\|chars\b/, symbol: /@\[A-Za-z0-9/ } as const;

describe.each([
  ['slice', 'core/content/slice-form.ts'],
  ['symbol', 'core/content/target.ts'],
] as const)('the grammar of a %s', (what, home) => {
  test(`the grammar is written in ${home} alone`, () => {
    const found = [...sources()].filter(([, text]) => COPIES[what].test(text)).map(([name]) => name);
    expect(found).toEqual([home]);
  });
});

const SLICE = fc.oneof(
  fc.constantFrom('lines[0:1]', 'chars[2:10]', 'head(1)', 'tail(0)', 'lines[3:1]', 'lines[01:2]', 'ALL', 'head(1)\n'),
  fc.stringMatching(/^(lines|chars|head|tail)[[(][0-9]{0,3}:?[0-9]{0,3}[)\]]$/),
  fc.string(),
);
const SEGMENT = fc.constantFrom('A', '.', '..', 'a.b', '-', '_', '', 'x'.repeat(64), 'x'.repeat(65), 'ä');
const SYMBOL = fc.array(SEGMENT, { minLength: 1, maxLength: 4 }).map((segments) => `@${segments.join('/')}`);

describe('a record', () => {
  test('a record takes exactly the slices that a message may have', () => {
    fc.assert(
      fc.property(SLICE, (slice) => form.isSlice(slice) === isSlice(slice)),
      { numRuns: caseCount(1_000) },
    );
    expect([form.isSlice('lines[3:1]'), form.isSlice('lines[0:1]'), form.isSlice(1)]).toEqual([false, true, false]);
  });

  test('a record takes exactly the symbols that a message may have', () => {
    fc.assert(
      fc.property(SYMBOL, (symbol) => form.isSymbol(symbol) === isSymbol(symbol)),
      { numRuns: caseCount(1_000) },
    );
    expect(['@a/..', '@a/./b', '@a/b', '@a'].map(form.isSymbol)).toEqual([false, false, true, false]);
  });
});

describe('the guest that cuts slices out of a file', () => {
  const { source = '' } = withFiles({}).find(({ name }) => name === 'corpus.read') ?? {};
  const parse = new Function(`${source.replace('export default ', 'void ')}\nreturn parse;`)() as (
    slice: string,
  ) => unknown;

  test('the guest that cuts slices holds the slice pattern of the runtime', () => {
    expect(source).toContain(JSON.stringify(SLICE_PATTERN));
  });

  test('the guest that cuts slices reads the slices of the runtime, and refuses the rest under the same code', () => {
    fc.assert(
      fc.property(SLICE, (slice) => {
        const parsed = parseSlice(slice);
        const code = parsed.ok ? undefined : parsed.refusal.code;
        let thrown: string | undefined;
        try {
          parse(slice);
        } catch (error) {
          thrown = (error as Error).name;
        }
        // an empty or reversed slice is refused later, when it is compared with the text
        expect(thrown).toBe(code === 'slice_bounds' ? undefined : code);
      }),
      { numRuns: caseCount(1_000) },
    );
  });
});
