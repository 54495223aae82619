import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { compareRuns, isDifferent } from '../../../core/ledger/compare.ts';
import { type ExportFile, formatExport, parseExport } from '../../../core/ledger/export.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { forgeTexts } from './forge.ts';
import { runId } from './sample.ts';

/** A run whose steps propose these texts, with a status of its own for each observation. */
function runOf(nth: number, proposals: readonly string[], status: 'success' | 'error' = 'success'): ExportFile {
  const payloads = new Map<string, Uint8Array>();
  const ref = (text: string) => {
    const bytes = encodeText(text);
    payloads.set(sha256Hex(bytes), bytes);
    return { sha256: sha256Hex(bytes), bytes: bytes.length };
  };
  const drafts = proposals.flatMap((text, index): Draft[] => {
    const at = { step: index + 1, step_id: `0000000${nth}-0000-8000-8000-${String(index).padStart(12, '0')}` };
    return [
      { kind: 'proposal', body: { ...at, payload: ref(text) } },
      { kind: 'observation', body: { ...at, status, payload: ref(`reply to ${text}`) } },
    ];
  });
  const all: Draft[] = [{ kind: 'task', body: { text: ref('A task') } }, ...drafts];
  const texts = forgeTexts(runId(nth), all);
  return parseExport(
    formatExport(
      runId(nth),
      texts,
      [...payloads].map(([sha256, bytes]) => ({ sha256, bytes })),
    ),
  );
}

const placesOf = (a: readonly string[], b: readonly string[]) =>
  compareRuns(runOf(1, a), runOf(2, b)).steps.map((pair) => [pair.a?.step, pair.b?.step]);

describe('a comparison of two runs', () => {
  it('two runs with other ids and times are the same', () => {
    const compared = compareRuns(runOf(1, ['x', 'y']), runOf(2, ['x', 'y']));
    expect(compared).toMatchObject({ same: true, run: [] });
    expect(compared.steps).toHaveLength(2);
  });

  it('a comparison names the members that differ, and the text on both sides', () => {
    const { same, steps } = compareRuns(runOf(1, ['x', 'y']), runOf(2, ['x', 'z']));
    expect(same).toBe(false);
    expect(steps.map(isDifferent)).toEqual([false, true]);
    expect(steps[1]?.differences).toEqual([
      { path: '/proposal/payload', a: 'y', b: 'z' },
      { path: '/observation/payload', a: 'reply to y', b: 'reply to z' },
    ]);
  });

  it('a comparison finds another outcome of an equal proposal', () => {
    const { steps } = compareRuns(runOf(1, ['x']), runOf(2, ['x'], 'error'));
    expect(steps[0]?.differences).toEqual([{ path: '/observation/status', a: 'success', b: 'error' }]);
  });

  it.each<[string, string, (number | undefined)[][]]>([
    [
      'abc',
      'abxc',
      [
        [1, 1],
        [2, 2],
        [undefined, 3],
        [3, 4],
      ],
    ],
    [
      'abxc',
      'abc',
      [
        [1, 1],
        [2, 2],
        [3, undefined],
        [4, 3],
      ],
    ],
    [
      'abc',
      'ayc',
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    ],
    ['', 'a', [[undefined, 1]]],
    [
      'axbyc',
      'zaqbc',
      [
        [undefined, 1],
        [1, 2],
        [2, 3],
        [3, 4],
        [4, undefined],
        [5, 5],
      ],
    ],
  ])('the steps of %s and %s are paired by their proposals', (a, b, places) => {
    expect(placesOf([...a], [...b])).toEqual(places);
  });

  it('every step of both runs is in exactly one pair, in order', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const places = placesOf(a, b);
        expect(places.flatMap(([i]) => i ?? [])).toEqual(a.map((_, i) => i + 1));
        expect(places.flatMap(([, j]) => j ?? [])).toEqual(b.map((_, j) => j + 1));
      }),
      { numRuns: 20 },
    );
  });

  it('any text is compared as far as it can be read', () => {
    fc.assert(fc.property(fc.string(), (text) => compareRuns(parseExport(text), parseExport('')).steps.length === 0));
  });
});
