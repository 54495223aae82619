import { expect, test } from 'vitest';
import { errorText, flatten, promptOf, type Turn } from '../../../../../workers/bridges/models/small/prompt.ts';
import { SmallTokens } from '../../../../../workers/bridges/models/small/tokens.ts';
import { readWeights } from '../../../../../workers/bridges/models/small/weights.ts';
import vectors from '../../../../fixtures/small-model/prompts.json' with { type: 'json' };
import { shippedWeights } from '../../../../small-model/weights.ts';

test('results and errors are shortened as the trainer shortens them', () => {
  for (const [result, text] of vectors.results) expect(flatten(result)).toBe(text);
  for (const [code, message, text] of vectors.errors) expect(errorText(code ?? '', message ?? '')).toBe(text);
});

test('a prompt has the tokens that the trainer gave it', async () => {
  const tokens = new SmallTokens(readWeights(await shippedWeights()));
  for (const { dialect, turns, tokens: wanted } of vectors.prompts) {
    const all = turns.map(([kind, text]) => ({ kind, text }) as Turn);
    const made = promptOf(tokens, dialect as 'xct' | 'femtoclaw', all);
    expect(made.slice(0, -1), JSON.stringify(turns)).toEqual(wanted);
  }
});
