import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseExport, verifyExport } from '../../../core/index.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { BEHAVIOUR } from '../../../core/ledger/behaviour.ts';
import { NO_RECORDS } from '../../../core/ledger/chain.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { fromScript } from '../../../workers/node.ts';
import type { Ports } from '../../../workers/ports.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { forChecks } from '../../runtime/shared.ts';
import { rewrite } from '../replay/rewrite.ts';

/** The export of a run whose question nobody has answered, as a build of another behaviour writes it. */
function unanswered(behaviour: number): string {
  const text = readFileSync(join(import.meta.dirname, '../../vectors/exports/asked.jsonl'), 'utf8');
  const asked = parseExport(text).records.findIndex((line) => line?.record.kind === 'approval');
  return rewrite(text, ({ run_seq, body }) => {
    if (run_seq > asked) return undefined;
    return 'behaviour' in body ? { ...body, behaviour } : body;
  });
}

/** Opens a runtime whose ledger holds this run as another build left it. */
async function holding(text: string) {
  const log = emptyLog();
  const { run_id = '', records, payloads } = parseExport(text);
  const links = records.flatMap((line) => {
    return line === undefined ? [] : [{ record: line.record, text: canonicalText(line.record) }];
  });
  const stored = [...payloads].map(([sha256, bytes]) => ({ sha256, bytes }));
  const store = openMemoryStore(log);
  const run = { run_id, expected: NO_RECORDS, records: links, payloads: stored };
  expect((await store.append(run, 'relaxed')).ok).toBe(true);
  const ports: Ports = { store, ...(await openSandboxes()), ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return { log, runtime: await openClient(kernel, async () => localAuditor(forChecks), {}) };
}

test.each([BEHAVIOUR - 1, BEHAVIOUR + 1])(
  'a run of behaviour %i is refused by resume, and keeps its records',
  async (behaviour) => {
    const text = unanswered(behaviour);
    const report = verifyExport(text);
    expect(report.ok).toBe(true);
    expect(report.checks.find(({ id }) => id === 'decisions')?.skipped?.first.code).toBe('behaviour_other');
    const { records, run_id = '' } = parseExport(text);
    const { runtime, log } = await holding(text);
    await expect(runtime.resume(run_id, fromScript([]))).rejects.toMatchObject({
      code: 'behaviour_other',
      details: { recorded: behaviour, current: BEHAVIOUR },
      message: expect.stringContaining('Here it can be exported'),
    });
    expect(await runtime.ledger.records(run_id)).toEqual(records.map((line) => line?.record));
    expect(await runtime.ledger.export(run_id)).toBe(text);
    expect((await runtime.ledger.verify(run_id)).ok).toBe(true);
    expect(log.batches).toHaveLength(1);
    // A refusal takes no claim on the run: a second resume gets the same refusal, and the run can be deleted.
    await expect(runtime.resume(run_id, fromScript([]))).rejects.toMatchObject({ code: 'behaviour_other' });
    await runtime.ledger.delete(run_id);
    await runtime.close();
  },
);
