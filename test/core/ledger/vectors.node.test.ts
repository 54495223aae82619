import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../../core/index.ts';
import { completeReceipt } from '../../../core/ledger/receipt.ts';
import { replayed } from '../../runtime/replayed.ts';
import { type Vector, vectors } from '../vectors.ts';
import { findingOf, makeExports } from './export-vectors.ts';

const FOLDER = join(import.meta.dirname, '../../vectors/exports');

const cases = (file: string) => vectors(file).map((vector) => [vector.name, vector.clause, vector] as const);

async function reportOf({ input }: Vector): Promise<object> {
  const text = readFileSync(join(FOLDER, `${input['export'] as string}.jsonl`), 'utf8');
  return findingOf(await replayed(text, 'anchor' in input ? { anchor: input['anchor'] as string } : {}));
}

describe('an export', () => {
  test('the files of exports are those that this build writes; node .scripts/vectors.mjs makes them anew', async () => {
    const kept = readdirSync(FOLDER).map((name) => [
      name.replace(/\.jsonl$/, ''),
      readFileSync(join(FOLDER, name), 'utf8'),
    ]);
    expect(Object.fromEntries(kept)).toEqual(await makeExports());
  });

  test.each(cases('exports'))('%s (%s)', async (_name, _clause, vector) => {
    expect(await reportOf(vector)).toEqual(vector.expect);
  });
});

describe('a receipt', () => {
  test.each(cases('receipts'))('%s (%s)', (_name, _clause, { input, expect: expected }) => {
    const { receipt, run_id, required_outputs } = input as unknown as {
      readonly receipt: unknown;
      readonly run_id: string;
      readonly required_outputs?: readonly string[];
    };
    const outcome = completeReceipt(receipt, { run_id, ...(required_outputs && { required_outputs }) });
    expect(outcome.ok ? { complete: true } : { code: outcome.refusal.code }).toEqual(expected);
  });
});

describe('a checkpoint', () => {
  test.each(cases('checkpoints'))('%s (%s)', (_name, _clause, { input, expect: expected }) => {
    const outcome = parseCheckpoint(input['text'] as string);
    expect(outcome.ok ? outcome.value.checkpoint : { code: outcome.refusal.code }).toEqual(expected);
  });
});
