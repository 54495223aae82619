import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CheckId, parseExport, type Report, verifyExport } from '../../../core/index.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { NO_RECORDS } from '../../../core/ledger/chain.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { runCommand, type Terminal } from '../../../workers/cli/command.ts';
import { replay, verify } from '../../../workers/cli/verify.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import * as node from '../../../workers/node.ts';
import { fromScript } from '../../../workers/node.ts';
import type { Ports } from '../../../workers/ports.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { forChecks } from '../../runtime/shared.ts';
import { rewrite } from '../replay/rewrite.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/behaviour-1');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const heads = new Map(
  [...readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(/^\| `([\w-]+)` \|.*`(\d+):([0-9a-f]{64})` \|$/gmu)].map(
    ([, name, count, head]) => [`${name}.jsonl`, { count: Number(count), head: head ?? '' }],
  ),
);

const statuses = ({ checks }: Report) => Object.fromEntries(checks.map(({ id, status }) => [id, status]));
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);
const INTACT = { form: 'pass', hashes: 'pass', links: 'pass', anchor: 'pass', decisions: 'not_run', replay: 'not_run' };

async function command(which: typeof verify, name: string): Promise<{ code: number; report: Report }> {
  let printed: unknown;
  const terminal: Terminal = {
    color: false,
    print: () => undefined,
    printJson: (value) => void (printed = value),
    complain: () => undefined,
    read: async (path) => readFileSync(join(FOLDER, path)),
  };
  const { count, head } = heads.get(name) ?? { count: 0, head: '' };
  const code = await runCommand(which, [name, '--anchor', `${count}:${head}`, '--json'], terminal);
  return { code, report: printed as Report };
}

describe('a run that a build of behaviour 1 wrote', () => {
  test('the folder of behaviour 1 has a run of every kind, each with its head', () => {
    expect(FILES.length).toBeGreaterThan(20);
    expect([...heads.keys()].toSorted()).toEqual(FILES.toSorted());
  });

  test.each(FILES)('a run of behaviour 1 is intact, and its decisions and replay are not run: %s', async (name) => {
    const anchor = heads.get(name);
    expect(anchor).toBeDefined();
    const options = { ...(anchor && { anchor }) };
    const report = verifyExport(read(name), options);
    expect([report.ok, statuses(report)]).toEqual([true, INTACT]);
    const why = name === 'system.jsonl' ? undefined : 'behaviour_other';
    for (const id of ['decisions', 'replay'] as const) expect(check(report, id)?.skipped?.first.code).toBe(why);
    if (why !== undefined)
      expect(check(report, 'decisions')?.skipped?.first.message).toMatch(/behaviour 1, and this build has behaviour 2/);

    const others = [
      await node.verifyExport(read(name), options),
      await localAuditor(forChecks).check(read(name), { ...options, replay: true }),
      (await command(verify, name)).report,
      (await command(replay, name)).report,
    ];
    expect(others).toEqual([report, report, report, report]);
    expect((await command(verify, name)).code).toBe(0);
    expect((await command(replay, name)).code).toBe(0);
  });

  test('an altered run of behaviour 1 fails its hashes', () => {
    const report = verifyExport(read('xct-completed.jsonl').replace('tea', 'tee'));
    expect([report.ok, check(report, 'hashes')?.status]).toEqual([false, 'fail']);
  });
});

/** Opens a runtime whose ledger holds this run as the older build left it. */
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

test.each([1, 3])('a run of behaviour %i is refused by resume, and keeps its records', async (behaviour) => {
  const text = rewrite(read('xct-unanswered.jsonl'), ({ body }) =>
    'behaviour' in body ? { ...body, behaviour } : body,
  );
  const report = verifyExport(text);
  expect([report.ok, check(report, 'decisions')?.skipped?.first.code]).toEqual([true, 'behaviour_other']);
  const { records, run_id = '' } = parseExport(text);
  const { runtime, log } = await holding(text);
  await expect(runtime.resume(run_id, fromScript([]))).rejects.toMatchObject({
    code: 'behaviour_other',
    details: { recorded: behaviour, current: 2 },
    message: expect.stringContaining('here it can be exported'),
  });
  expect(await runtime.ledger.records(run_id)).toEqual(records.map((line) => line?.record));
  expect(await runtime.ledger.export(run_id)).toBe(text);
  expect((await runtime.ledger.verify(run_id)).ok).toBe(true);
  expect(log.batches).toHaveLength(1);
  // A refusal takes no claim on the run: a second resume gets the same refusal, and the run can be deleted.
  await expect(runtime.resume(run_id, fromScript([]))).rejects.toMatchObject({ code: 'behaviour_other' });
  await runtime.ledger.delete(run_id);
  await runtime.close();
});
