import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentHash, type JsonObject } from '../../../core/index.ts';
import { type Desk, openDesk } from './desk.ts';
import { BUDGETS, execute, message, name, OPERATIONS, put, read, write } from './messages.ts';

const TEXT = '# A\none\ntwo\n## B\nthree\n# C\nfour\n';
const HASH_B = contentHash('## B\nthree\n');

const THROWS = {
  name: 'always.throws',
  version: '1.0.0',
  description: 'Fails.',
  effect: 'pure',
  args: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
  source: 'export default () => { throw new RangeError("no"); };',
} as const;
const DENIED = { ...THROWS, name: 'never.granted' };

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk([...OPERATIONS, { capability: 'always.throws', mode: 'allow' }], [THROWS, DENIED]);
});
beforeEach(async () => {
  await put(desk.runtime, { 'a.md': TEXT, 'b.md': '# B\n' });
  const [, b] = await desk.runtime.content.sections('a.md');
  await name(desk.runtime, '@x/b', 'SECTION', b?.section_id ?? '');
  await name(desk.runtime, '@x/file', 'FILE', 'a.md');
  await name(desk.runtime, '@x/other', 'FILE', 'b.md');
  await name(desk.runtime, '@x/heading', 'HEADING', 'a.md#["A"]');
});
afterAll(() => desk.close());

const NEW = { content: '## B\nnew\n', expected_hash: HASH_B };
const over = (name: keyof typeof BUDGETS, limit: number) => ({ budgets: { ...BUDGETS, [name]: limit } });

/** Each fail-closed rule of the contract and each of our own: the message, the code and the pointer. */
const RULES: readonly (readonly [what: string, message: JsonObject, code: string, kind: string, pointer?: string])[] = [
  ['an unknown symbol', message([read('@x/none')]), 'symbol_unknown', 'resolution', '/refs/0'],
  [
    'an unknown ref that nothing uses',
    message([], { refs: ['@x/none'], ops: [read('@x/file')] }),
    'target_undeclared',
    'malformed_structure',
  ],
  [
    'an unknown ref beside a known one',
    message([read('@x/file')], { refs: ['@x/file', '@x/none'] }),
    'symbol_unknown',
    'resolution',
    '/refs/1',
  ],
  [
    'an unknown ref of a message that only wants to end the run',
    message([], { refs: ['@x/file', '@x/none'] }),
    'symbol_unknown',
    'resolution',
    '/refs/1',
  ],
  ['a malformed symbol', message([read('@x')]), 'symbol_syntax', 'malformed_structure', '/refs/0'],
  ['an unknown capability', message([execute('@TOOLS/none', { args: {} })]), 'symbol_unknown', 'resolution', '/refs/0'],
  [
    'an unknown operation',
    message([{ type: 'DELETE', target: '@x/file', params: {} }]),
    'operation_unknown',
    'malformed_structure',
  ],
  ['ALL', message([read('@x/file', { slice: 'ALL' })]), 'slice_unbounded', 'resolution', '/ops/0/params/slice'],
  [
    'a malformed slice',
    message([read('@x/file', { slice: 'lines[0:01]' })]),
    'slice_syntax',
    'resolution',
    '/ops/0/params/slice',
  ],
  ['an empty slice', message([read('@x/file', { slice: 'lines[1:1]' })]), 'slice_bounds', 'resolution'],
  [
    'a slice out of bounds',
    message([read('@x/file', { slice: 'lines[0:8]' })]),
    'slice_bounds',
    'resolution',
    '/ops/0',
  ],
  ['head beyond the end', message([read('@x/b', { slice: 'head(3)' })]), 'slice_bounds', 'resolution', '/ops/0'],
  ['too many symbols', message([read('@x/file'), read('@x/b')], over('max_symbols', 1)), 'budget_symbols', 'budget'],
  [
    'too many sections',
    message([read('@x/file', { slice: 'head(4)' })], over('max_sections', 1)),
    'budget_sections',
    'budget',
  ],
  ['too many bytes', message([read('@x/file')], over('max_bytes_expanded', 7)), 'budget_bytes', 'budget'],
  [
    'too many expansions',
    message([read('@x/b'), read('@x/b')], over('max_expands_per_step', 1)),
    'budget_expands',
    'budget',
  ],
  [
    'budgets above those of the run',
    message([read('@x/file')], over('max_sections', 6)),
    'budget_raised',
    'budget',
    '/budgets/max_sections',
  ],
  ['no budgets', { intent: 'x', refs: [], ops: [], required_outputs: [] }, 'missing_member', 'malformed_structure'],
  [
    'a budget that is no integer',
    message([read('@x/b')], over('max_sections', 1.5)),
    'wrong_type',
    'malformed_structure',
  ],
  ['an empty intent', message([read('@x/b')], { intent: ' ' }), 'intent_empty', 'malformed_structure'],
  [
    'an output that no operation names',
    message([read('@x/b')], { required_outputs: ['o'] }),
    'output_missing',
    'output',
  ],
  ['outputs of no operation at all', message([], { required_outputs: ['o'] }), 'output_missing', 'output'],
  [
    'an output that two operations name',
    message([read('@x/b', { output: 'o' }), read('@x/b', { output: 'o' })]),
    'output_twice',
    'malformed_structure',
  ],
  [
    'an unknown parameter',
    message([read('@x/b', { lines: 1 })]),
    'arguments_schema',
    'invalid_arguments',
    '/ops/0/params',
  ],
  [
    'a parameter of another type',
    message([read('@x/b', { critical: 'no' })]),
    'arguments_schema',
    'invalid_arguments',
    '/ops/0/params/critical',
  ],
  [
    'a write without the hash of what it replaces',
    message([write('@x/b', { content: 'x' })]),
    'arguments_schema',
    'invalid_arguments',
  ],
  [
    'arguments the schema refuses',
    message([execute('@TOOLS/always.throws', { args: { n: 'x' } })]),
    'arguments_schema',
    'invalid_arguments',
    '/ops/0/params/args/n',
  ],
  ['reading a capability', message([read('@TOOLS/always.throws')]), 'target_kind', 'resolution', '/ops/0/target'],
  ['executing content', message([execute('@x/b', { args: {} })]), 'target_kind', 'resolution', '/ops/0/target'],
  ['executing an operation', message([execute('@TOOLS/content.write', { args: {} })]), 'target_kind', 'resolution'],
  ['writing a heading', message([write('@x/heading', NEW)]), 'target_kind', 'resolution', '/ops/0/target'],
  [
    'writing what was changed since',
    message([write('@x/b', { ...NEW, expected_hash: contentHash('## B\n2\n') })]),
    'content_changed',
    'resolution',
  ],
  [
    'writing without a last line feed before other text',
    message([write('@x/b', { ...NEW, content: 'x' })]),
    'content_unended',
    'resolution',
  ],
  [
    'an action that fails',
    message([execute('@TOOLS/always.throws', { args: {} })]),
    'capability_threw',
    'execution',
    '/ops/0',
  ],
  [
    'an action that is not granted',
    message([execute('@TOOLS/never.granted', { args: {} })]),
    'no_grant',
    'authorization',
  ],
];

/** Steps of the validation. Authorization, charge and execution start only after it has accepted the message. */
const VALIDATION: readonly string[] = ['parse', 'structure', 'form', 'capability', 'arguments'];

describe('a message is refused with one receipt that gives the reason, and delivers no content', () => {
  test.each(RULES)('a message is refused and delivers no content: %s', async (_what, sent, code, kind, pointer) => {
    const told = await desk.send([sent]);
    const [body, ...more] = told.receipts;
    expect(body?.receipt).toMatchObject({ run_id: told.run_id, status: 'FAILURE', outputs: {} });
    expect(body?.evidence.reason).toMatchObject({ code, class: kind });
    expect(more.map(({ receipt }) => receipt.status)).toEqual(['SUCCESS']);
    const [reply] = told.replies;
    expect(reply).toMatchObject({ status: 'error', details: { code, ...(pointer === undefined ? {} : { pointer }) } });
    expect(JSON.stringify(reply)).not.toMatch(/three|four|one\\n/);
    const refused = told.bodies('verdict').flatMap(({ refusal }) => refusal?.step ?? []);
    expect(refused.filter((step) => !VALIDATION.includes(step))).toEqual([]);
    const failed = told.events.flatMap(({ event }) => (event.event_type === 'step_failed' ? [event] : []));
    expect(failed.map((event) => [event.code, event.class])).toEqual([[code, kind]]);
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT);
    const { checks } = await desk.runtime.ledger.verify(told.run_id);
    const decided = checks.find(({ id }) => id === 'decisions');
    expect(decided).toEqual({ id: 'decisions', status: 'pass', count: expect.any(Number) });
  });

  test('a message is refused when its content is gone or was changed after it was indexed', async () => {
    await expect(desk.runtime.content.remove('b.md' as never)).rejects.toMatchObject({ code: 'option_invalid' });
    await desk.runtime.content.remove(['b.md']);
    const gone = await desk.send([message([read('@x/other')])]);
    expect(gone.receipts[0]?.evidence.reason).toMatchObject({ code: 'target_gone', class: 'resolution' });
    await put(desk.runtime, { 'a.md': TEXT.replace('three', 'threE') });
    const changed = await desk.send([message([read('@x/b')])]);
    expect(changed.receipts[0]?.evidence.reason).toMatchObject({ code: 'target_gone' });
    expect((await desk.send([message([read('@x/file')])])).receipts[0]?.receipt.status).toBe('SUCCESS');
  });

  test('a message is refused when all steps together go over the expanded bytes of the run', async () => {
    const told = await desk.send([message([read('@x/file')]), message([read('@x/file')])], {
      limits: { expandedBytes: 15 },
    });
    expect(told.receipts.map(({ evidence }) => evidence.reason?.code)).toEqual([undefined, 'budget_run', undefined]);
    expect(told.receipts[1]?.receipt.expanded).toEqual([]);
  });
});

describe('a message that fails', () => {
  test('a message that fails tells what it delivered before, and attempts no operation after', async () => {
    const told = await desk.send([
      message([read('@x/b'), read('@x/file', { slice: 'lines[0:99]' }), read('@x/other')]),
    ]);
    const { receipt, evidence } = told.receipts[0] ?? {};
    expect(receipt?.actions.map(({ status }) => status)).toEqual(['SUCCESS', 'FAILURE']);
    expect(receipt?.expanded.map(({ slice }) => slice)).toEqual(['head(2)']);
    expect(evidence?.operations?.map(({ reason }) => reason?.code)).toEqual([undefined, 'slice_bounds']);
    expect(evidence?.spent).toEqual({ symbols: 3, sections: 1, bytes: 11, expands: 1 });
    expect(evidence?.labels).toEqual(['private', 'untrusted']);
    const expanded = told.events.flatMap(({ event }) => (event.event_type === 'content_expanded' ? [event] : []));
    expect(expanded.map(({ target, slice }) => [target, slice])).toEqual([['@x/b', 'head(2)']]);
  });

  test('a message runs no operation when only its last operation is not permitted', async () => {
    const told = await desk.send([message([write('@x/b', NEW), execute('@TOOLS/never.granted', { args: {} })])]);
    expect(told.receipts[0]?.receipt).toMatchObject({ status: 'FAILURE', expanded: [], actions: [] });
    expect(told.bodies('decision').map(({ decision }) => decision)).toEqual(['AUTHORIZED', 'DENIED_POLICY_VIOLATION']);
  });

  test('a message that fails writes no content, and its writes are failed actions', async () => {
    const told = await desk.send([message([write('@x/b', NEW), execute('@TOOLS/always.throws', { args: {} })])]);
    const { receipt } = told.receipts[0] ?? {};
    expect(receipt?.actions.map(({ type, status }) => [type, status])).toEqual([
      ['WRITE', 'FAILURE'],
      ['EXECUTE', 'FAILURE'],
    ]);
    expect(told.kinds).not.toContain('content');
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT);
  });
});

describe('an operation that is not critical', () => {
  test('a message is PARTIAL when an operation that is not critical fails, and tells the other results', async () => {
    const fails = execute('@TOOLS/always.throws', { args: {}, critical: false });
    const told = await desk.send([message([fails, read('@x/b', { output: 'b' })], { required_outputs: ['b'] })]);
    const { receipt } = told.receipts[0] ?? {};
    expect(receipt?.status).toBe('PARTIAL');
    expect(receipt?.actions.map(({ status }) => status)).toEqual(['FAILURE', 'SUCCESS']);
    expect(Object.keys(receipt?.outputs ?? {})).toEqual(['b']);
    expect(told.replies[0]).toMatchObject({
      status: 'error',
      details: { code: 'capability_threw', result: { operations: [{ status: 'FAILURE' }, { text: '## B\nthree\n' }] } },
    });
  });

  test('a message fails when the operation of a required output fails, although it is not critical', async () => {
    const fails = execute('@TOOLS/always.throws', { args: {}, critical: false, output: 'o' });
    const told = await desk.send([message([fails], { required_outputs: ['o'] })]);
    expect(told.receipts[0]).toMatchObject({
      receipt: { status: 'FAILURE' },
      evidence: { reason: { code: 'output_missing' } },
    });
  });

  test('a message that writes fails when an operation that is not critical fails, since a write is critical', async () => {
    const fails = execute('@TOOLS/always.throws', { args: {}, critical: false });
    const told = await desk.send([message([write('@x/b', NEW), fails])]);
    expect(told.receipts[0]?.receipt).toMatchObject({
      status: 'FAILURE',
      actions: [{ status: 'FAILURE' }, { status: 'FAILURE' }],
    });
    expect(await desk.runtime.content.text('a.md')).toBe(TEXT);
  });
});

describe('a message that names content', () => {
  const ORIGIN = 'https://models.example';
  const GRANTS = [...OPERATIONS, { capability: 'plain.one', mode: 'allow' }] as const;
  const ONE = { ...THROWS, name: 'plain.one', source: 'export default () => 1;' };
  const CALL = execute('@TOOLS/plain.one', { args: {} });

  /** Whether a symbol exists, or is of a kind, is one bit of the content, in whichever form the answer tells it. */
  const NAMING: readonly (readonly [string, JsonObject, string | undefined])[] = [
    ['is told of no symbol', message([CALL], { refs: ['@x/none', '@TOOLS/plain.one'] }), 'symbol_unknown'],
    ['is told that a symbol is there', message([CALL], { refs: ['@x/file', '@TOOLS/plain.one'] }), undefined],
    ['is told of a kind', message([write('@x/heading', NEW)]), 'target_kind'],
    ['has written', message([write('@x/b', NEW)]), undefined],
  ];

  const labelsIn = ({ receipts }: Awaited<ReturnType<Desk['send']>>) => receipts.map(({ evidence }) => evidence.labels);

  async function openNaming(): Promise<Desk> {
    const naming = await openDesk(GRANTS, [ONE]);
    await put(naming.runtime, { 'a.md': TEXT });
    const [, b] = await naming.runtime.content.sections('a.md');
    await name(naming.runtime, '@x/b', 'SECTION', b?.section_id ?? '');
    await name(naming.runtime, '@x/file', 'FILE', 'a.md');
    await name(naming.runtime, '@x/heading', 'HEADING', 'a.md#["A"]');
    return naming;
  }

  test.each(NAMING)('is labelled as its content when it %s', async (_, sent, code) => {
    const naming = await openNaming();
    const told = await naming.send([message([CALL]), sent]);
    expect(told.receipts.map(({ evidence }) => evidence.reason?.code)).toEqual([undefined, code, undefined]);
    expect(labelsIn(told)).toEqual([[], ['private', 'untrusted'], ['private', 'untrusted']]);
    expect((await naming.runtime.ledger.verify(told.run_id)).ok).toBe(true);
    await naming.close();
  });

  test('is labelled, too, when it only ends the turn', async () => {
    const naming = await openNaming();
    const told = await naming.send([message([], { refs: ['@x/file'] })]);
    expect(labelsIn(told)).toEqual([['private', 'untrusted']]);
    await naming.close();
  });

  test.each(NAMING)('waits for consent before a remote model %s', async (_, sent) => {
    const naming = await openNaming();
    let asked = 0;
    const texts = [message([CALL]), sent, message([])].map((each) => JSON.stringify(each));
    const propose = async () => ({ text: texts[asked++] ?? '' });
    const model = { id: 'far', locality: { kind: 'remote', origin: ORIGIN }, propose } as const;
    const run = naming.runtime.start({ dialect: 'catalytic', task: 'Work.', model });
    const waiting = new Promise((resolve) => run.watch(({ consent }) => consent && resolve(consent.origin)));
    expect(await Promise.race([waiting, run.result])).toBe(ORIGIN);
    expect(asked).toBe(2);
    await run.abort();
    await naming.close();
  });
});
