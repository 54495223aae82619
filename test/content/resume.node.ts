import { expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client.ts';
import { makeKernel } from '../../workers/kernel.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/memory/store.ts';
import { clock, openSandboxes } from '../../workers/node/platform.ts';
import { fromScript } from '../../workers/proposers/script.ts';
import { message, name, put, read, write } from './messages.ts';

const sandboxes = openSandboxes();

/** A process over a log that outlives it. */
async function open(log: MemoryLog) {
  const ports = { store: openMemoryStore(log), ...(await sandboxes), ...clock };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(openSandboxes), {
    grants: [
      { capability: 'content.read', mode: 'allow' },
      { capability: 'content.write', mode: 'ask' },
    ],
  });
}

function ended(records: readonly LedgerRecord[]): readonly string[] {
  return records.flatMap((record) =>
    record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : [],
  );
}

test('a message that waits for a person when its process ends is closed, and nothing of it was done', async () => {
  const log = emptyLog();
  const before = await open(log);
  await put(before, { 'a.md': 'old\n' });
  await name(before, '@x/a', 'FILE', 'a.md', 'head(1)');
  const [file] = await before.content.files();
  const change = { content: 'new\n', expected_hash: file?.content_hash ?? '' };
  const ops = [read('@x/a'), write('@x/a', change)];
  const run = before.start({ dialect: 'catalytic', task: 'Change it.', model: fromScript([message(ops)]) });
  await run.step();
  await expect.poll(() => run.view.pending?.capability).toBe('content.write');
  expect(JSON.parse(run.view.pending?.args ?? '')).toMatchObject({ target: '@x/a', path: 'a.md', bytes: 4 });

  const after = await open(log);
  const again = await after.resume(run.id, fromScript([message([read('@x/a')]), message([])]));
  await again.run();
  expect(await again.result).toMatchObject({ state: 'completed', steps: 3 });
  expect(ended(await after.ledger.records(run.id))).toEqual(['interrupted', 'SUCCESS', 'SUCCESS']);
  expect(await after.content.text('a.md')).toBe('old\n');
  const { checks } = await after.ledger.check(await after.ledger.export(run.id), { replay: true });
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
});

test('what a message wrote is there for the next process, and so are the symbols it moved', async () => {
  const log = emptyLog();
  const before = await open(log);
  await put(before, { 'a.md': '# A\none\n# B\ntwo\n' });
  await name(before, '@x/a', 'SECTION', 'a.md#["A"]');
  await name(before, '@x/b', 'SECTION', 'a.md#["B"]');
  const [a] = await before.content.sections('a.md');
  const ops = [write('@x/a', { content: '# A\none\nmore\n', expected_hash: a?.content_hash ?? '' })];
  const run = before.start({
    dialect: 'catalytic',
    task: 'Change it.',
    model: fromScript([message(ops), message([])]),
  });
  await expect.poll(() => run.view.pending?.digest).toBeDefined();
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await run.result;

  const after = await open(log);
  expect(await after.content.text('a.md')).toBe('# A\none\nmore\n# B\ntwo\n');
  expect(await after.content.expand('@x/b', 'tail(1)')).toMatchObject({ ok: true, value: { text: 'two\n' } });
  expect(await after.content.rebuild()).toMatchObject({ same: true });
});
