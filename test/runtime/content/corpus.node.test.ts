import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeText, type JsonObject } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { CORPUS_CAPABILITIES, fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';

const GUIDE = '# Guide\n\nWelcome.\n\n## Ovens\n\nHot as can be.\n';

let runtime: Runtime;
beforeAll(async () => {
  const names = [...CORPUS_CAPABILITIES.map(({ name }) => name), 'content.read'];
  const grants = names.map((capability) => ({ capability, mode: 'allow' as const }));
  runtime = await openRuntime({ capabilities: CORPUS_CAPABILITIES, grants });
  await runtime.content.add([{ path: 'guide.md', bytes: encodeText(GUIDE) }]);
  const target_ref = 'guide.md#["Guide","Ovens"]';
  await runtime.content.define({
    symbol_id: '@X/OVENS',
    target_type: 'HEADING',
    target_ref,
    default_slice_policy: 'head(1)',
  });
});
afterAll(() => runtime.close());

const call = (tool: string, args: JsonObject) => ({ next_step: { tool, arguments: args, goal: 'know' } });

/** Runs the proposals in one run; returns the replies that the model reads, and the receipts. */
async function play(...proposals: readonly object[]) {
  const model = fromScript([...proposals, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'read', model });
  const end = await run.result;
  const records = await runtime.ledger.records(run.id);
  const receipts = records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body] : []));
  const replies = await Promise.all(
    records.flatMap(({ kind, body }) =>
      kind === 'observation' ? [runtime.ledger.payload(run.id, body.payload.sha256)] : [],
    ),
  );
  const told = replies.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as JsonObject);
  return { id: run.id, end, receipts, told };
}

test('runs in other dialects search sections by words and read slices, and each receipt names its slice', async () => {
  const found = await play(call('corpus.search', { query: 'hot' }));
  const [reply] = found.told as unknown as [{ readonly result: { sections: JsonObject[]; more: number } }];
  const { sections, more } = reply.result;
  expect(more).toBe(0);
  expect(sections).toMatchObject([
    { path: 'guide.md', headings: ['Guide', 'Ovens'], line_start: 4, line_end: 7, symbols: ['@X/OVENS'] },
  ]);
  expect(found.receipts[0]).toMatchObject({
    receipt: { status: 'SUCCESS', expanded: [] },
    evidence: { labels: ['private', 'untrusted'] },
  });
  for (const ref of ['@X/OVENS', String(sections[0]?.['section_id'])]) {
    const read = await play(call('corpus.read', { ref, slice: 'lines[2:3]' }));
    expect(read.told[0]).toMatchObject({ result: { ref, text: 'Hot as can be.\n' } });
    expect(read.receipts[0]?.receipt.expanded).toMatchObject([{ symbol_or_section_id: ref, slice: 'lines[2:3]' }]);
    expect(await runtime.ledger.verify(read.id)).toMatchObject({ ok: true });
  }
});

test.each([
  ['ALL', 'slice_unbounded'],
  ['lines[0:99]', 'slice_bounds'],
])('a read of %s is refused, and no text is delivered', async (slice, code) => {
  const { receipts, told } = await play(call('corpus.read', { ref: '@X/OVENS', slice }));
  expect(receipts[0]).toMatchObject({
    receipt: { status: 'FAILURE', expanded: [] },
    evidence: { reason: { code, class: 'resolution' } },
  });
  expect(told[0]).toMatchObject({ details: { code, class: 'resolution' } });
  expect(JSON.stringify(told)).not.toContain('Hot');
});

test('a search with arguments that the power does not take fails its step', async () => {
  const name = 'peek.search';
  const source = 'export default ({ most }, { sections }) => sections.search("hot", most);';
  const args = { type: 'object', properties: { most: {} } };
  const peek = { name, version: '1.0.0', description: 'Searches.', effect: 'read' as const, args, source };
  const other = await openRuntime({
    capabilities: [{ ...peek, powers: ['sections.search'] }],
    grants: [{ capability: name, mode: 'allow' }],
  });
  const run = other.start({
    dialect: 'xct',
    task: 'read',
    model: fromScript([call(name, { most: 21 }), { done: true, message: 'done' }]),
  });
  await run.result;
  const [receipt] = (await other.ledger.records(run.id)).flatMap(({ kind, body }) =>
    kind === 'receipt' ? [body] : [],
  );
  expect(receipt).toMatchObject({ receipt: { status: 'FAILURE' }, evidence: { reason: { code: 'power_failed' } } });
  await other.close();
});
