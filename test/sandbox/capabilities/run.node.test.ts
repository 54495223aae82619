import { describe, expect, test } from 'vitest';
import type { Dialect, LedgerRecord } from '../../../core/index.ts';
import { addPapers } from '../../../web/playground/corpus/corpus.ts';
import { CORPUS, SYMBOLS } from '../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../web/playground/demo/scenario.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import type { SchemaPort } from '../../../workers/ports.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { oneRealm } from '../../workers/sandbox/one-realm.ts';
import { wasmBytes } from '../wasm.ts';

const wasm = await wasmBytes();

/**
 * A schema port that refuses every schema: each schema of the demo is built in, and needs no compilation at run time.
 */
const NONE_AT_RUN_TIME: SchemaPort = {
  register: () => Promise.reject(new Error('a schema of the demo is not built in')),
  check: () => Promise.reject(new Error('a schema of the demo is not built in')),
};

/** Plays the scenario through the real kernel, sandbox and ledger; a person approves each question. */
async function play(dialect: Dialect) {
  const { capabilities, grants, task, script, steps } = bakery(dialect);
  let nonces = 0;
  const sandboxes = async () => ({ sandbox: await oneRealm({ wasm }), schemas: NONE_AT_RUN_TIME });
  const kernel = makeKernel(
    {
      store: openMemoryStore(),
      ...(await sandboxes()),
      claim: async () => () => undefined,
      random: () => Math.random(),
      now: () => Date.now(),
      nonce: () => String(nonces++).padStart(32, '0'),
    },
    { isolation: 'node', probes: [], store: { kind: 'memory' } },
  );
  const asked: string[] = [];
  const runtime = await openClient(kernel, async () => localAuditor(sandboxes), {
    capabilities,
    grants,
    approve: (request) => {
      asked.push(request.capability);
      return Promise.resolve({ approved: true });
    },
  });
  if (dialect === 'catalytic') await addPapers(runtime.content, { files: CORPUS, symbols: SYMBOLS });
  const run = runtime.start({ dialect, task, model: fromScript(script) });
  const end = await run.result;
  const records = await runtime.ledger.records(run.id);
  return { end, asked, steps, receipts: records.filter(isReceipt) };
}

type ReceiptRecord = Extract<LedgerRecord, { kind: 'receipt' }>;
function isReceipt(record: LedgerRecord): record is ReceiptRecord {
  return record.kind === 'receipt';
}

describe.each(['xct', 'femtoclaw', 'catalytic'] as const)('the bakery scenario in %s', (dialect) => {
  test('each proposal of the scenario ends in one receipt with the code of its step, and the note is a question', async () => {
    const { end, asked, steps, receipts } = await play(dialect);
    expect(end).toMatchObject({ state: 'completed', steps: steps.length });
    const ended = receipts.map(({ body }) => [body.receipt.status, body.evidence.reason?.code]);
    expect(ended).toEqual(
      steps.map(({ ending }) => ('code' in ending ? ['FAILURE', ending.code] : ['SUCCESS', undefined])),
    );
    expect(asked).toEqual(['notes.put']);
  });
});
