import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../../core/index.ts';
import { completeReceipt } from '../../../core/ledger/receipt.ts';
import { findingOf } from '../../../web/selftest/conformance.ts';
import { replayed } from '../../runtime/replayed.ts';
import { type Vector, vectors } from '../vectors.ts';
import { contractFaults } from './contract.ts';
import { makeExports } from './export-vectors.ts';

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

/** Reads an export without the product's reader. */
function rawExport(name: string) {
  const lines = readFileSync(join(FOLDER, name), 'utf8').split('\n');
  const rows = lines.flatMap((line): { readonly [member: string]: never }[] => {
    try {
      return [JSON.parse(line) as { readonly [member: string]: never }];
    } catch {
      return [];
    }
  });
  const stored = rows.flatMap(({ payload }) => (payload === undefined ? [] : [payload as StoredPayload]));
  const payloads = new Map(
    stored.map(({ sha256, text, hex }) => [
      sha256,
      Buffer.from(text ?? hex ?? '', text === undefined ? 'hex' : 'utf8'),
    ]),
  );
  const receipts = rows.flatMap(({ kind, run_id, body }) =>
    kind === 'receipt'
      ? [{ run_id: String(run_id), receipt: (body as unknown as { readonly receipt: unknown }).receipt }]
      : [],
  );
  return { receipts, payloads };
}

interface StoredPayload {
  readonly sha256: string;
  readonly text?: string;
  readonly hex?: string;
}

test('each receipt and each expansion of the exports has the form of the contract, by schemas of their own', () => {
  const all = readdirSync(FOLDER).flatMap((name) => {
    const { receipts, payloads } = rawExport(name);
    return receipts.map(({ receipt, run_id }) => ({
      name,
      expanded: (receipt as { readonly expanded: readonly unknown[] }).expanded.length,
      faults: contractFaults(receipt, run_id, (sha256) => payloads.get(sha256)),
    }));
  });
  expect(all.length).toBeGreaterThan(40);
  expect(all.reduce((sum, { expanded }) => sum + expanded, 0)).toBeGreaterThan(0);
  expect(all.filter(({ faults }) => faults.length > 0)).toEqual([]);
});

describe('a receipt', () => {
  test('the schemas of the contract refuse what is not complete', () => {
    const told = cases('receipts').map(([name, , { input, expect: expected }]) => {
      const { receipt, run_id, required_outputs } = input as { readonly [member: string]: never };
      return {
        name,
        complete: expected['complete'] === true,
        required_outputs,
        faults: contractFaults(receipt, String(run_id)),
      };
    });
    const wrong = told.filter(
      ({ complete, required_outputs, faults }) => required_outputs === undefined && complete !== (faults.length === 0),
    );
    expect(wrong).toEqual([]);
  });

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
