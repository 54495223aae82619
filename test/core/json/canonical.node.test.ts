import { describe, expect, test } from 'vitest';
import { canonicalize, decodeUtf8 } from '../../../core/index.ts';
import { suiteFiles } from '../../setup/suites.ts';

const files = suiteFiles('jcs/testdata');
const inputs = (files ?? []).filter((file) => file.name.startsWith('input/'));

describe('canonicalize agrees with the vectors of RFC 8785', () => {
  test(files ? 'finds all six of them' : 'NOT RUN: SALLYPORT_SUITES names no folder with jcs/', () => {
    expect(inputs).toHaveLength(files ? 6 : 0);
  });

  for (const { name, bytes } of inputs) {
    test(`canonicalize writes the RFC 8785 vector ${name}`, () => {
      // `decode` refuses some of these numbers: no double holds the integer 1E30.
      const outcome = canonicalize(JSON.parse(decodeUtf8(bytes) ?? ''));
      const hex = files?.find((file) => file.name === name.replace('input', 'outhex').replace('.json', '.txt'));
      const expected = Buffer.from(hex?.bytes ?? [])
        .toString()
        .replaceAll(/\s/g, '');
      expect(outcome.ok && Buffer.from(outcome.value).toString('hex')).toBe(expected);
    });
  }
});
