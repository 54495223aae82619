import { describe, expect, test } from 'vitest';
import { contentHash, type JsonObject, type LedgerRecord } from '../../../core/index.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, definePower } from '../../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { forChecks } from '../shared.ts';
import { execute, message, name, put, read, write } from './messages.ts';

const sandboxes = openSandboxes();
const SENDS = {
  name: 'note.send',
  version: '1.0.0',
  description: 'Sends.',
  effect: 'egress',
  args: { type: 'object' },
  source: 'export default () => 1;',
} as const;

/** A process over a log that outlives it. */
async function open(log: MemoryLog) {
  const ports = { store: openMemoryStore(log), ...(await sandboxes), ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), {
    capabilities: [SENDS],
    grants: [
      { capability: 'content.read', mode: 'allow' },
      { capability: 'content.write', mode: 'ask' },
      { capability: 'note.send', mode: 'allow' },
    ],
    guard: false,
  });
}

function ended(records: readonly LedgerRecord[]): readonly string[] {
  return records.flatMap((record) =>
    record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? 'SUCCESS'] : [],
  );
}

const OLD = '# A\none\n# B\ntwo\n';
const hash = contentHash;

/** A process that asks about the first of two writes, and ends. */
async function asked(log: MemoryLog, ops: readonly JsonObject[], answers = 0): Promise<string> {
  const before = await open(log);
  await put(before, { 'a.md': OLD });
  await name(before, '@x/a', 'SECTION', 'a.md#["A"]');
  await name(before, '@x/b', 'SECTION', 'a.md#["B"]');
  const run = before.start({ dialect: 'catalytic', task: 'Change it.', model: fromScript([message(ops)]) });
  await run.step();
  for (let answered = 0; answered <= answers; answered++) {
    await expect.poll(() => run.view.pending).toBeDefined();
    if (answered < answers) await yes(run);
  }
  return run.id;
}

async function yes(run: Run): Promise<void> {
  const { digest = '' } = run.view.pending ?? {};
  await run.answer(digest, { approved: true });
  await expect.poll(() => run.view.pending?.digest).not.toBe(digest);
}

const A = write('@x/a', { content: '# A\nnew\n', expected_hash: hash('# A\none\n') });
const B = write('@x/b', { content: '# B\nnew\n', expected_hash: hash('# B\ntwo\n') });

async function whole(runtime: Runtime, run_id: string): Promise<void> {
  const { checks } = await runtime.ledger.check(await runtime.ledger.export(run_id, { secrets: true }), {
    replay: true,
  });
  const made = checks.filter(({ id }) => id === 'decisions' || id === 'replay');
  expect(made.map(({ status, skipped, first }) => [status, skipped ?? first])).toEqual([
    ['pass', undefined],
    ['pass', undefined],
  ]);
}

describe('a message that waits for a person when its process ends', () => {
  test('a message that waits for a person asks the same question in the next process, and goes on with the answer', async () => {
    const log = emptyLog();
    const run_id = await asked(log, [read('@x/b'), A]);
    const after = await open(log);
    const run = await after.resume(run_id, fromScript([message([])]));
    await expect.poll(() => run.view.pending?.capability).toBe('content.write');
    expect(JSON.parse(run.view.pending?.args ?? '')).toMatchObject({ target: '@x/a', path: 'a.md', bytes: 8 });
    await yes(run);
    await run.run();
    expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
    const [body] = (await after.ledger.records(run_id)).filter(({ kind }) => kind === 'receipt');
    expect(body?.body).toMatchObject({
      receipt: { status: 'SUCCESS', actions: [{ type: 'READ' }, { type: 'WRITE' }] },
    });
    expect(await after.content.text('a.md')).toBe(OLD.replace('one', 'new'));
    await whole(after, run_id);
  });

  test('a resumed message keeps the answers it had, and asks about the next operation only', async () => {
    const log = emptyLog();
    const run_id = await asked(log, [A, B], 1);
    const after = await open(log);
    const run = await after.resume(run_id, fromScript([message([])]));
    await expect.poll(() => run.view.pending?.args).toContain('@x/b');
    await yes(run);
    await run.run();
    expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
    expect(ended(await after.ledger.records(run_id))).toEqual(['SUCCESS', 'SUCCESS']);
    expect(await after.content.text('a.md')).toBe('# A\nnew\n# B\nnew\n');
    await whole(after, run_id);
  });

  test('an approved write of a resumed message is refused when the content changed in between', async () => {
    const log = emptyLog();
    const run_id = await asked(log, [A]);
    const after = await open(log);
    await put(after, { 'a.md': OLD.replace('one', '1') });
    const run = await after.resume(run_id, fromScript([message([])]));
    await expect.poll(() => run.view.pending).toBeDefined();
    await yes(run);
    await run.run();
    await run.result;
    expect(ended(await after.ledger.records(run_id))).toEqual(['content_changed', 'SUCCESS']);
    expect(await after.content.text('a.md')).toBe(OLD.replace('one', '1'));
    await whole(after, run_id);
  });

  test('a resumed message is closed when the content it referred to was erased, since no judgment is possible', async () => {
    const log = emptyLog();
    const run_id = await asked(log, [A]);
    const after = await open(log);
    const verdict = (await after.ledger.records(run_id)).find(({ kind }) => kind === 'verdict');
    const resolved = verdict?.kind === 'verdict' ? verdict.body.resolved?.sha256 : undefined;
    await after.ledger.erase(run_id, { payloads: [resolved ?? ''] });
    const run = await after.resume(run_id, fromScript([message([])]));
    await run.run();
    await run.result;
    expect(ended(await after.ledger.records(run_id))).toEqual(['interrupted', 'SUCCESS']);
    expect(await after.content.text('a.md')).toBe(OLD);
  });
});

test('a message that had begun when its process ended is closed, and none of its operations is done twice', async () => {
  const log = emptyLog();
  const before = await open(log);
  await put(before, { 'a.md': OLD });
  await name(before, '@x/a', 'SECTION', 'a.md#["A"]');
  const ops = [read('@x/a'), execute('@TOOLS/note.send', { args: {} })];
  const run = before.start({ dialect: 'catalytic', task: 'Send it.', model: fromScript([message(ops), message([])]) });
  await run.result;
  const begun = log.batches.findIndex(({ records }) => records.some((text) => text.includes('"kind":"intent"')));
  const left: MemoryLog = { ...log, batches: log.batches.slice(0, begun + 1) };

  const after = await open(left);
  const again = await after.resume(run.id, fromScript([message([])]));
  await again.run();
  await again.result;
  const records = await after.ledger.records(run.id);
  expect(ended(records)).toEqual(['interrupted', 'SUCCESS']);
  expect(records.filter(({ kind }) => kind === 'intent').length).toBe(1);
  const report = await after.ledger.check(await after.ledger.export(run.id, { secrets: true }), { replay: true });
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
});

test('the next process reads the content that a message wrote and the symbols that it moved', async () => {
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

  const written = await after.content.text('a.md');
  const old = log.batches.flatMap(({ payloads }) => payloads).filter(({ sha256 }) => sha256 === hash(OLD));
  for (const { bytes } of old) bytes.fill(32, 0, 1);
  await expect(after.content.undo(run.id, 1)).rejects.toMatchObject({ code: 'payload_altered' });
  await after.ledger.erase(run.id, { payloads: [hash(OLD)] });
  await expect(after.content.undo(run.id, 1)).rejects.toMatchObject({ code: 'payload_missing' });
  expect(await after.content.text('a.md')).toBe(written);
});

describe('uses of powers by a message across processes', () => {
  const terms = { version: '1.0.0', description: 'For a test.', args: {} } as const;
  const use = defineCapability({
    ...terms,
    name: 'use',
    effect: 'read',
    labels: [],
    powers: ['page.look', 'page.post'],
    source: `export default async (args, { page }) => {
      const named = (error) => error.name;
      return [await page.look(1).catch(named), await page.post(1).catch(named)];
    }`,
  });
  const ops = [1, 2].map(() => execute('@TOOLS/use', { args: {} }));

  /** A process whose grants are three uses of each power. */
  async function openOf(log: MemoryLog, told: string[]): Promise<Runtime> {
    const ports = { store: openMemoryStore(log), ...(await sandboxes), ...nodePorts };
    const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
    return openClient(kernel, async () => localAuditor(forChecks), {
      capabilities: [use],
      powers: [
        definePower({ ...terms, name: 'page.look', effect: 'read', run: () => told.push('look') }),
        definePower({ ...terms, name: 'page.post', effect: 'write', run: () => told.push('post') }),
      ],
      grants: [
        { capability: 'use', mode: 'allow' },
        { power: 'page.look', mode: 'allow', uses: 3 },
        { power: 'page.post', mode: 'allow', uses: 3 },
      ],
      guard: false,
    });
  }

  test.each([
    ['is used up for the next process, too', 'receipt', ['look', 'post']],
    ['is used up when the message was cut off, too', 'observation', ['look', 'post']],
  ])('the use of a power %s', async (_title, last, again) => {
    const [log, before, after] = [emptyLog(), [] as string[], [] as string[]];
    const first = await openOf(log, before);
    const run = first.start({ dialect: 'catalytic', task: 'Use it.', model: fromScript([message(ops)]) });
    await run.step();
    await expect.poll(async () => ended(await first.ledger.records(run.id))).toEqual(['SUCCESS']);
    expect(before).toEqual(['look', 'post', 'look', 'post']);
    const end = log.batches.findIndex(({ records }) => records.some((text) => text.includes('"kind":"receipt"')));
    const left = { ...log, batches: log.batches.slice(0, last === 'receipt' ? end + 1 : end) };

    const second = await openOf(left, after);
    const resumed = await second.resume(run.id, fromScript([message(ops), message([])]));
    await resumed.run();
    await resumed.result;
    expect(after).toEqual(again);
    const text = await second.ledger.export(run.id, { secrets: true });
    const { checks } = await second.ledger.check(text, { replay: true });
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
  });
});
