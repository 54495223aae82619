import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { contentHash, encodeText, type Section } from '../../../core/index.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import type { FileRow } from '../../../workers/kernel/content/file.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { fromScript } from '../../../workers/node.ts';
import { openDirectoryStore } from '../../../workers/store/directory/store.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { valueOf } from '../../workers/store/store-suite.ts';
import { forChecks, openRuntime } from '../shared.ts';
import { message, name, OPERATIONS, put, read } from './messages.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-tampered-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const TEXT = '# A\none\n# B\ntwo\n';
let places = 0;

/** Runs two reads in a second process, after a change of the stored row between the processes. */
async function runOver(tamper: (row: FileRow) => FileRow | undefined) {
  const directory = join(base, `${places++}`);
  const first = await openRuntime({ store: { directory }, grants: OPERATIONS });
  await put(first, { 'a.md': TEXT });
  await name(first, '@x/b', 'SECTION', 'a.md#["B"]');
  await name(first, '@x/file', 'FILE', 'a.md');
  await first.close();

  const store = valueOf(openDirectoryStore(directory));
  const row = valueOf(await store.get('files', 'a.md')) as unknown as FileRow;
  const value = tamper(row);
  valueOf(await store.put([{ table: 'files', key: 'a.md', value: value && { ...value } }], 'strict'));
  await store.close();

  const runtime = await openRuntime({ store: { directory }, grants: OPERATIONS });
  const model = fromScript([message([read('@x/b')]), message([read('@x/file', { slice: 'head(1)' })]), message([])]);
  const run = runtime.start({ dialect: 'catalytic', task: 'Read.', model });
  await run.result;
  const records = await runtime.ledger.records(run.id);
  const receipts = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body] : []));
  const replies = records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.payload.sha256] : []));
  const told = await Promise.all(replies.map((sha256) => runtime.ledger.payload(run.id, sha256)));
  const { checks } = await runtime.ledger.verify(run.id);
  await runtime.close();
  const failed = checks.filter(
    ({ id, status, skipped }) => status === 'fail' || (id !== 'anchor' && skipped !== undefined),
  );
  return { receipts: receipts.slice(0, 2), told: told.map((bytes) => new TextDecoder().decode(bytes)), failed };
}

const text = (changed: string) => (row: FileRow) => ({ ...row, text: encodeText(changed) });

/** The row with other line numbers for its second section. */
const lines = (line_start: number, line_end: number) => (row: FileRow) => {
  const [first, second] = JSON.parse(row.sections) as readonly Section[];
  return { ...row, sections: JSON.stringify([first, { ...second, line_start, line_end }]) };
};

describe('stored content that was changed behind the runtime is not delivered, and the receipt gives the code', () => {
  test.each([
    ['another text', text(TEXT.replace('two', 'bad')), ['content_changed', 'content_changed']],
    ['a text that ends before', text('# A\none\n'), ['section_range', 'section_range']],
    ['a text that goes on', text(`${TEXT}bad\n`), [undefined, 'section_range']],
    [
      'bytes that are no text',
      (row: FileRow) => ({ ...row, text: Uint8Array.of(0xff) }),
      ['content_missing', 'content_missing'],
    ],
    ['none at all', () => undefined, ['target_gone', 'target_gone']],
    ['lines before the first', lines(-1, 1), ['target_gone', 'target_gone']],
    ['parts of lines', lines(2.5, 4), ['target_gone', 'target_gone']],
    ['lines in reverse', lines(4, 2), ['target_gone', 'target_gone']],
    ['lines that are not there', lines(2, 9), ['target_gone', 'target_gone']],
    ['lines of another section', lines(0, 2), ['target_gone', 'target_gone']],
    [
      'a table that is none',
      (row: FileRow) => ({ ...row, sections: row.sections.replace('"heading_path":["B"],', '') }),
      ['target_gone', 'target_gone'],
    ],
    ['no table at all', (row: FileRow) => ({ ...row, sections: `${row.sections},` }), ['target_gone', 'target_gone']],
  ] as const)(
    'a read of stored content that was changed to %s is refused by its code',
    async (_what, tamper, codes) => {
      const { receipts, told, failed } = await runOver(tamper);
      expect(receipts.map(({ evidence }) => evidence.reason?.code)).toEqual(codes);
      for (const { receipt, evidence } of receipts) {
        if (evidence.reason === undefined) continue;
        expect(receipt).toMatchObject({ status: 'FAILURE', expanded: [], outputs: {} });
        expect(evidence.spent?.bytes ?? 0).toBe(0);
      }
      for (const [nth, reply] of told.entries())
        if (codes[nth] !== undefined) expect(reply).not.toMatch(/# [AB]|two|bad/);
      expect(failed).toEqual([]);
    },
  );
});

test('delivered bytes that change in the store are not delivered again, and each check of the run finds them', async () => {
  const log = emptyLog();
  const { sandbox, schemas } = await openSandboxes();
  const ports = { store: openMemoryStore(log), sandbox, schemas, ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const runtime = await openClient(kernel, async () => localAuditor(forChecks), { grants: OPERATIONS });
  await put(runtime, { 'a.md': TEXT });
  await name(runtime, '@x/b', 'SECTION', 'a.md#["B"]');
  const model = fromScript([message([read('@x/b', { slice: 'tail(1)' })]), message([])]);
  const run = runtime.start({ dialect: 'catalytic', task: 'Read.', model });
  await run.result;
  const given = contentHash('two\n');
  expect(await runtime.ledger.payload(run.id, given)).toEqual(encodeText('two\n'));
  const stored = log.batches.flatMap(({ payloads }) => payloads).filter(({ sha256 }) => sha256 === given);
  for (const { bytes } of stored) bytes.set(encodeText('bad'));
  await expect(runtime.ledger.payload(run.id, given)).rejects.toMatchObject({ code: 'payload_altered' });
  const { ok, checks } = await runtime.ledger.verify(run.id);
  expect([ok, checks.some(({ first }) => first?.code === 'payload_altered')]).toEqual([false, true]);
  await runtime.close();
});
