import { describe, expect, test } from 'vitest';
import { decode } from '../../../core/index.ts';
import { type SuiteFile, suiteFiles } from '../../setup/suites.ts';

/** JSONTestSuite: `y_` must be accepted, `n_` refused, `i_` is for each parser to decide. */
const files = suiteFiles('json-test-suite/test_parsing') ?? [];
const none = files.length === 0;
if (none)
  console.warn('JSONTestSuite is not here: set SALLYPORT_SUITES to the folder that holds it. 318 cases do not run.');

/**
 * Texts that `decode` refuses although the grammar allows them: repeated members.
 */
const STRICTER: { readonly [name: string]: string } = {
  'y_object_duplicated_key.json': 'duplicate_member',
  'y_object_duplicated_key_and_value.json': 'duplicate_member',
};

/** Codes that `decode` yields where the suite leaves the answer open. */
const OPEN: { readonly [name: string]: string } = {
  'i_number_double_huge_neg_exp.json': 'number_precision',
  'i_number_huge_exp.json': 'number_precision',
  'i_number_neg_int_huge_exp.json': 'number_precision',
  'i_number_pos_double_huge_exp.json': 'number_precision',
  'i_number_real_neg_overflow.json': 'number_precision',
  'i_number_real_pos_overflow.json': 'number_precision',
  'i_number_real_underflow.json': 'number_precision',
  'i_number_too_big_neg_int.json': 'number_precision',
  // 10^20: large, and exactly a double.
  'i_number_too_big_pos_int.json': 'accepted',
  'i_number_very_big_negative_int.json': 'number_precision',
  'i_object_key_lone_2nd_surrogate.json': 'lone_surrogate',
  'i_string_1st_surrogate_but_2nd_missing.json': 'lone_surrogate',
  'i_string_1st_valid_surrogate_2nd_invalid.json': 'lone_surrogate',
  'i_string_UTF-16LE_with_BOM.json': 'utf8',
  'i_string_UTF-8_invalid_sequence.json': 'utf8',
  'i_string_UTF8_surrogate_U+D800.json': 'utf8',
  'i_string_incomplete_surrogate_and_escape_valid.json': 'lone_surrogate',
  'i_string_incomplete_surrogate_pair.json': 'lone_surrogate',
  'i_string_incomplete_surrogates_escape_valid.json': 'lone_surrogate',
  'i_string_invalid_lonely_surrogate.json': 'lone_surrogate',
  'i_string_invalid_surrogate.json': 'lone_surrogate',
  'i_string_invalid_utf-8.json': 'utf8',
  'i_string_inverted_surrogates_U+1D11E.json': 'lone_surrogate',
  'i_string_iso_latin_1.json': 'utf8',
  'i_string_lone_second_surrogate.json': 'lone_surrogate',
  'i_string_lone_utf8_continuation_byte.json': 'utf8',
  'i_string_not_in_unicode_range.json': 'utf8',
  'i_string_overlong_sequence_2_bytes.json': 'utf8',
  'i_string_overlong_sequence_6_bytes.json': 'utf8',
  'i_string_overlong_sequence_6_bytes_null.json': 'utf8',
  'i_string_truncated-utf-8.json': 'utf8',
  'i_string_utf16BE_no_BOM.json': 'utf8',
  'i_string_utf16LE_no_BOM.json': 'utf8',
  'i_structure_500_nested_arrays.json': 'limit_depth',
  'i_structure_UTF-8_BOM_empty_object.json': 'bom',
};

function verdict({ bytes }: SuiteFile): string {
  const decoded = decode(new Uint8Array(bytes));
  return decoded.ok ? 'accepted' : decoded.refusal.code;
}

const group = (prefix: string) =>
  files.filter(({ name }) => name.startsWith(prefix)).map((file) => [file.name, file] as const);

describe.skipIf(none)('JSONTestSuite', () => {
  test('JSONTestSuite has 95, 188 and 35 cases in its three groups', () => {
    expect([group('y_').length, group('n_').length, group('i_').length]).toEqual([95, 188, 35]);
  });

  test.each(group('y_'))('decode accepts %s as the platform does', (name, file) => {
    expect(verdict(file)).toBe(STRICTER[name] ?? 'accepted');
    if (STRICTER[name] !== undefined) return;
    const text = new TextDecoder().decode(file.bytes);
    const value: unknown = JSON.parse(text, (_, each: unknown) => (each === 0 ? 0 : each));
    expect(decode(new Uint8Array(file.bytes))).toStrictEqual({ ok: true, value });
  });

  test.each(group('n_'))('decode refuses %s', (_name, file) => {
    expect(['utf8', 'bom', 'json_syntax', 'limit_depth']).toContain(verdict(file));
  });

  test.each(group('i_'))('decode answers %s by the table of open cases', (name, file) => {
    expect(verdict(file)).toBe(OPEN[name]);
  });
});
