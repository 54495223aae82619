import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applySlice, contentHash, parseSlice } from '../../../core/index.ts';
import { must } from '../validator.ts';

const TEXT = 'one\ntwo\nthree 😀\nfour';

describe('a slice', () => {
  test.each([
    ['lines[0:4]', TEXT],
    ['lines[1:2]', 'two\n'],
    ['lines[3:4]', 'four'],
    ['head(2)', 'one\ntwo\n'],
    ['tail(1)', 'four'],
    ['head(4)', TEXT],
    ['chars[14:15]', '😀'],
    ['chars[0:3]', 'one'],
    ['chars[0:20]', TEXT],
  ])('the slice %s delivers its text, with the LF of each line', (slice, text) => {
    const bytes = new TextEncoder().encode(text).byteLength;
    expect(must(applySlice(TEXT, slice))).toEqual({ text, content_hash: contentHash(text), bytes });
  });

  test.each([
    ...['lines[0:5]', 'lines[4:5]', 'head(5)', 'tail(5)', 'lines[0:99999999999999999999]', 'lines[2:2]', 'lines[3:1]'],
    ...['lines[9007199254740993:9007199254740994]', 'head(0)', 'tail(0)', 'lines[0:0]'],
  ])('the slice %s is out of bounds, and the refusal gives the number of lines', (slice) => {
    expect(applySlice(TEXT, slice)).toMatchObject({
      refusal: { code: 'slice_bounds', class: 'resolution', details: { unit: 'lines', size: 4 } },
    });
  });

  test.each(['chars[0:21]', 'chars[20:21]', 'chars[5:5]'])('the slice %s is out of the 20 characters', (slice) => {
    expect(applySlice(TEXT, slice)).toMatchObject({ refusal: { code: 'slice_bounds', details: { size: 20 } } });
  });

  test.each([
    ...['', 'lines', 'lines[]', 'lines[0:]', 'lines[:1]', 'lines[0,1]', 'lines[0:1] ', ' lines[0:1]', 'lines[ 0:1]'],
    ...['Lines[0:1]', 'HEAD(1)', 'lines[00:1]', 'lines[0:01]', 'head(01)', 'lines[-1:1]', 'lines[0:1.5]', 'head(1e3)'],
    ...['lines[٠:١]', 'head(１)', 'lines(0:1)', 'head[1]', 'lines[0:1]\n', 'chars[0:1]x', 'ALL ', 'head(+1)'],
  ])('the text %j is refused as a slice for its syntax', (slice) => {
    expect(parseSlice(slice)).toMatchObject({ refusal: { code: 'slice_syntax' } });
    expect(applySlice(TEXT, slice)).toMatchObject({ refusal: { code: 'slice_syntax' } });
  });

  test.each(['ALL', 'all', 'All'])('the slice %s is refused as unbounded', (slice) => {
    expect(applySlice(TEXT, slice)).toMatchObject({ refusal: { code: 'slice_unbounded', class: 'resolution' } });
  });

  test('a slice of an empty text is always out of bounds', () => {
    for (const slice of ['lines[0:1]', 'head(1)', 'tail(1)', 'chars[0:1]']) {
      expect(applySlice('', slice)).toMatchObject({ refusal: { code: 'slice_bounds', details: { size: 0 } } });
    }
  });

  test('slices of neighbouring lines or characters join to the slice of both', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\u2028', '\f'), { minLength: 3 });
    fc.assert(
      fc.property(text, fc.constantFrom('lines', 'chars'), fc.nat(), fc.nat(), (parts, form, x, y) => {
        const whole = parts.join('');
        const size = form === 'chars' ? parts.length : (whole.match(/[^\n]*\n|[^\n]+$/g) ?? []).length;
        fc.pre(size >= 2);
        const a = 1 + (x % (size - 1));
        const b = a + 1 + (y % (size - a));
        const cut = (from: number, to: number) => must(applySlice(whole, `${form}[${from}:${to}]`)).text;
        expect(cut(0, a) + cut(a, b)).toBe(cut(0, b));
        expect(cut(0, size)).toBe(whole);
        if (form === 'lines') {
          expect(must(applySlice(whole, `head(${a})`)).text).toBe(cut(0, a));
          expect(must(applySlice(whole, `tail(${a})`)).text).toBe(cut(size - a, size));
        }
      }),
    );
  });

  test('applySlice never throws for an arbitrary slice and text', () => {
    const slice = fc.oneof(fc.string(), fc.stringMatching(/^(lines|chars)\[[0-9]{1,20}:[0-9]{1,20}\]$/));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), slice, (text, spelled) => {
        const cut = applySlice(text, spelled);
        if (cut.ok) expect(text).toContain(cut.value.text);
      }),
    );
  });
});
