import { expect, test } from 'vitest';
import { contentHash, extractSections, sectionId } from '../../../core/index.ts';
import { must } from '../../core/validator.ts';
import { openDesk } from './desk.ts';
import { execute, message, name, OPERATIONS, put, read, write } from './messages.ts';

/** Catalytic Chat Contract, Exit Criteria: a walk from sections to a receipt, in objects of the contract only. */
test('a walk leads from sections by a symbol and a message to expansions and a receipt', async () => {
  const COUNT = {
    name: 'text.words',
    version: '1.0.0',
    description: 'Counts words.',
    effect: 'pure',
    args: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    source: 'export default ({ text }) => text.split(" ").length;',
  } as const;
  const desk = await openDesk([...OPERATIONS, { capability: 'text.words', mode: 'allow' }], [COUNT]);
  const { runtime } = desk;
  const text = '# Loaves\nFlour, water, salt.\n## Harbour\nTwo days.\n## Winter\nThree days.\n';
  await put(runtime, { 'LAW/CANON/bread.md': text });

  // Section
  const sections = await runtime.content.sections();
  const content_hash = contentHash('## Harbour\nTwo days.\n');
  const place = { file_path: 'LAW/CANON/bread.md', line_start: 2, line_end: 4, content_hash };
  const harbour = { section_id: sectionId(place), heading_path: ['Loaves', 'Harbour'], ...place };
  expect(sections).toEqual(must(extractSections('LAW/CANON/bread.md', text)));
  expect(sections[1]).toEqual(harbour);

  // Symbol
  const symbol = {
    symbol_id: '@CANON/harbour',
    target_type: 'SECTION',
    target_ref: harbour.section_id,
    default_slice_policy: 'lines[0:2]',
  } as const;
  expect(await runtime.content.define(symbol)).toEqual(symbol);

  // Message
  const told = await desk.send([
    message(
      [
        read('@CANON/harbour', { output: 'section' }),
        read('@CANON/harbour', { slice: 'tail(1)', output: 'days' }),
        execute('@TOOLS/text.words', { args: { text: 'two whole days' }, output: 'count' }),
        write('@CANON/harbour', { content: '## Harbour\nOne day.\n', expected_hash: content_hash, output: 'written' }),
      ],
      {
        intent: 'Read the harbour loaf, count, shorten it.',
        required_outputs: ['section', 'days', 'count', 'written'],
      },
    ),
  ]);

  // Expansions and receipt
  const [body] = told.receipts;
  const days = contentHash('Two days.\n');
  const written = contentHash('## Harbour\nOne day.\n');
  const ref = (of: string) => ({ sha256: contentHash(of), bytes: of.length });
  const outputs = {
    section: ref('## Harbour\nTwo days.\n'),
    days: ref('Two days.\n'),
    count: ref('3'),
    written: ref(written),
  };
  const expansion = { run_id: told.run_id, symbol_or_section_id: '@CANON/harbour' };
  const action = { target: '@CANON/harbour', status: 'SUCCESS' };
  expect(body?.receipt).toEqual({
    run_id: told.run_id,
    step_id: body?.receipt.step_id,
    expanded: [
      { ...expansion, slice: 'lines[0:2]', content_hash, payload_ref: `sha256:${content_hash}` },
      { ...expansion, slice: 'tail(1)', content_hash: days, payload_ref: `sha256:${days}` },
    ],
    actions: [
      { type: 'READ', ...action, result: outputs.section },
      { type: 'READ', ...action, result: outputs.days },
      { type: 'EXECUTE', target: '@TOOLS/text.words', status: 'SUCCESS', result: outputs.count },
      { type: 'WRITE', ...action, result: outputs.written },
    ],
    outputs,
    status: 'SUCCESS',
  });
  expect(await told.text(content_hash)).toBe('## Harbour\nTwo days.\n');
  expect(await runtime.content.text('LAW/CANON/bread.md')).toBe(text.replace('Two days', 'One day'));
  expect((await runtime.content.expand('@CANON/harbour', 'lines[0:2]')).ok).toBe(true);
  await name(runtime, '@CANON/bread', 'FILE', 'LAW/CANON/bread.md');
  expect((await runtime.content.expand('@CANON/bread', 'head(1)')).ok).toBe(true);
  expect(await runtime.ledger.verify(told.run_id)).toMatchObject({ ok: true });
  await desk.close();
});
