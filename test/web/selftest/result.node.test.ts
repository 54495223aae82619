import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceIn } from '../../../web/selftest/device.ts';
import {
  FORM,
  formatFragment,
  isResult,
  PARTS,
  type PartResult,
  parseBefore,
  parseFragment,
  type SelftestResult,
  saidBy,
  wordOf,
} from '../../../web/selftest/result.ts';
import { textOf } from '../../../web/selftest/text.ts';
import kept from '../../devices/devices.json' with { type: 'json' };
import type { Devices } from '../../devices/table.ts';

const devices = kept as unknown as Devices;

const start: PartResult = { outcome: 'pass', ms: 12, facts: { store: 'indexeddb', signs: true, startMs: 3.5 } };
const result: SelftestResult = {
  form: FORM,
  product: '0.1.0',
  at: '2026-11-29T23:49:45Z',
  device: { browser: 'Firefox', version: '153.0', system: 'Linux – ü' },
  parts: { start, tab: { outcome: 'not_tried', ms: 0, reason: 'button' } },
};
/** A fragment with any JSON text in it. */
const fragmentOf = (text: string): string => `#result=${Buffer.from(text).toString('base64url')}`;
const withPart = (part: object): string => fragmentOf(JSON.stringify({ ...result, parts: { start: part } }));

describe('a result in a fragment', () => {
  it('is read as it was written', () => {
    expect(parseFragment(formatFragment(result))).toEqual(result);
    for (const each of devices.results) expect(parseFragment(formatFragment(each))).toEqual(each);
  });

  it('is no result where the fragment is another', () => {
    for (const fragment of ['', '#', '#tab', '#resultant', '#run=1']) expect(parseFragment(fragment)).toBeUndefined();
  });

  it.each([
    ['text outside of base64url', '#result=<img>'],
    ['bytes that are no JSON', '#result=AAAA'],
    ['a member twice', fragmentOf(JSON.stringify(result).replace('{', '{"form":"x",'))],
    ['an unknown member', fragmentOf(JSON.stringify({ ...result, more: 1 }))],
    ['a missing member', fragmentOf(JSON.stringify({ ...result, at: undefined }))],
    ['a member of the prototype', fragmentOf(JSON.stringify(result).replace('"start"', '"__proto__"'))],
    ['another form', fragmentOf(JSON.stringify({ ...result, form: 'sallyport-selftest/2' }))],
    ['a day that is none', fragmentOf(JSON.stringify({ ...result, at: '2026-13-29T23:49:45Z' }))],
    ['an unknown part', fragmentOf(JSON.stringify({ ...result, parts: { other: start } }))],
    ['an unknown outcome', withPart({ ...start, outcome: 'passed' })],
    ['an unknown reason', withPart({ ...start, reason: 'constructor' })],
    ['an unknown fact', withPart({ ...start, facts: { constructor: 1 } })],
    ['a fact of another kind', withPart({ ...start, facts: { signs: 'yes' } })],
    ['a word that is too long', withPart({ ...start, facts: { store: 'x'.repeat(61) } })],
    ['words of an error that are too long', withPart({ ...start, said: 'x'.repeat(301) })],
    ['a time before zero', withPart({ ...start, ms: -1 })],
    ['a link that is too long', `${formatFragment(result)}${'A'.repeat(8000)}`],
    ['a value that is nested too deep', fragmentOf(`${'['.repeat(9)}${']'.repeat(9)}`)],
  ])('is refused with %s', (_what, fragment) => {
    expect(parseFragment(fragment)).toBe('refused');
  });

  it('any fragment is read or refused, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(fragmentOf)), (text) => {
        const found = parseFragment(text.startsWith('#') ? text : `#result=${text}`);
        expect(found === undefined || found === 'refused' || isResult(found as never)).toBe(true);
      }),
    );
  });

  it('a result with every part and every fact fits', () => {
    const part = (facts: object): PartResult => ({
      outcome: 'fail',
      ms: 1_234_567,
      reason: 'error',
      said: 'x'.repeat(120),
      facts: Object.fromEntries(Object.keys(facts).map((fact) => [fact, 1])),
    });
    const parts = Object.fromEntries(Object.entries(PARTS).map(([id, facts]) => [id, part(facts)]));
    expect(formatFragment({ ...result, parts }).length).toBeLessThan(8000);
  });

  it('a result whose errors have long words in any script is read: the words are cut', () => {
    const failed: PartResult = { outcome: 'fail', ms: 1, reason: 'error', said: '錯'.repeat(300) };
    const parts = Object.fromEntries(Object.keys(PARTS).map((id) => [id, failed]));
    const read = parseFragment(formatFragment({ ...result, parts }));
    expect(read).toMatchObject({ parts: { tab: { outcome: 'fail', said: expect.stringMatching(/^錯{50,}$/u) } } });
  });

  it('words that are cut within a character of two units are read', () => {
    const part: PartResult = { outcome: 'fail', ms: 1, reason: 'error', said: saidBy(`${'x'.repeat(299)}😀`) };
    const device = { ...result.device, system: wordOf(`${'x'.repeat(59)}😀`) };
    const told = { ...result, device, parts: { start: part } };
    expect(parseFragment(formatFragment(told))).toEqual(told);
  });
});

describe('what a page keeps over a reload', () => {
  const before = { run_id: 'a1', records: 3, shown: result };

  it('is read as it was written', () => {
    expect(parseBefore(JSON.stringify(before))).toEqual(before);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['no result', JSON.stringify({ ...before, shown: { at: result.at, device: {}, parts: {} } })],
    ['a run that is no text', JSON.stringify({ ...before, run_id: 1 })],
    ['a further member', JSON.stringify({ ...before, more: 1 })],
  ])('is nothing where another script wrote %s', (_what, text) => {
    expect(parseBefore(text)).toBeUndefined();
  });
});

describe('a device', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', 'Firefox', '153.0'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 Version/26.1 Mobile/15E148 Safari/604.1',
      'Safari',
      '26.1',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36 Edg/156.0.1.2',
      'Edge',
      '156.0.1.2',
    ],
    ['curl/8', 'unknown', 'unknown'],
  ])('%s is %s %s', (agent, browser, version) => {
    expect(deviceIn(agent)).toMatchObject({ browser, version });
  });

  it('tells its result as text without characters that are not seen', () => {
    const text = textOf({ ...result, device: { ...result.device, version: '1\u202e0' } });
    expect(text.split('\n')[1]).toBe('start: passed, 12 ms (store indexeddb, signs true, startMs 3.5)');
    expect(text).not.toContain('\u202e');
    expect(text).toContain('tab: not tried. It begins with its button.');
  });
});

describe('the results that are kept', () => {
  it('each is a result of the form of a link, and each browser and system has one', () => {
    for (const each of devices.results) expect(isResult(each as never)).toBe(true);
    const names = devices.results.map(({ device }) => `${device.browser} ${device.system}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
