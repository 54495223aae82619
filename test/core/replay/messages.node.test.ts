import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentHash, encodeText, type LedgerRecord, parseExport, type Report } from '../../../core/index.ts';
import { type Desk, openDesk } from '../../runtime/content/desk.ts';
import { execute, message, name, OPERATIONS, put, read, write } from '../../runtime/content/messages.ts';
import { verified } from '../../runtime/replayed.ts';
import { rewrite } from './rewrite.ts';

const TEXT = '# A\none\n## B\ntwo\nthree\n# C\nfour\n';
const LARGE = `# L\n${'long line of text\n'.repeat(5_000)}`;
const hash = contentHash;
const B = '## B\ntwo\nthree\n';
const NEW = '## B\n2\n3\nand more\n';

const GIVES = {
  name: 'text.give',
  version: '1.0.0',
  description: 'Reads by its power.',
  effect: 'read',
  powers: ['sections.expand'],
  args: { type: 'object', properties: { ref: { type: 'string' }, slice: { type: 'string' } } },
  source: 'export default async ({ ref, slice }, { sections }) => (await sections.expand(ref, slice)).length;',
} as const;
const SENDS = {
  ...GIVES,
  name: 'text.send',
  effect: 'egress',
  powers: [],
  source: 'export default () => "sent";',
} as const;
const FAILS = {
  ...SENDS,
  name: 'text.fail',
  effect: 'pure',
  source: 'export default () => { throw new Error("no"); };',
} as const;

let desk: Desk;
let run_id: string;
let text: string;

/** A message for each outcome that a message can have. */
beforeAll(async () => {
  let asked = 0;
  const meanwhile = async () => {
    if (++asked === 3)
      await put(desk.runtime, {
        'a.md': TEXT.replace(B, NEW.replace('more', 'less')),
        'l.md': LARGE,
        'gone.md': 'x\n',
      });
    return asked === 2 ? ({ approved: false, reason: 'not now' } as const) : ({ approved: true } as const);
  };
  const grants = [
    ...OPERATIONS,
    { capability: 'text.give', mode: 'allow' },
    { capability: 'text.send', mode: 'ask' },
  ] as const;
  desk = await openDesk([...grants, { capability: 'text.fail', mode: 'allow' }], [GIVES, SENDS, FAILS], meanwhile);
  const { runtime } = desk;
  await put(runtime, { 'a.md': TEXT, 'l.md': LARGE, 'gone.md': 'x\n' });
  await name(runtime, '@x/file', 'FILE', 'a.md');
  await name(runtime, '@x/a', 'HEADING', 'a.md#["A"]');
  await name(runtime, '@x/b', 'SECTION', 'a.md#["A","B"]');
  await name(runtime, '@x/c', 'SECTION', 'a.md#["C"]');
  await name(runtime, '@x/gone', 'FILE', 'gone.md');
  const send = execute('@TOOLS/text.send', { args: {} });
  const give = (slice: string) => execute('@TOOLS/text.give', { args: { ref: '@x/file', slice }, output: 'n' });
  const told = await desk.send([
    message([read('@x/file'), read('@x/a', { slice: 'lines[2:4]' }), read('@x/b', { slice: 'chars[1:4]' })]),
    message([
      write('@x/b', { content: NEW, expected_hash: hash(B) }),
      read('@x/c'),
      read('@x/b', { slice: 'tail(1)' }),
    ]),
    message([give('head(3)'), send, read('@x/a')], { required_outputs: ['n'] }),
    message([read('@x/b'), send]),
    message([read('@x/b'), write('@x/b', { content: B, expected_hash: hash(NEW) }), send]),
    message([give('head(99)')]),
    message([execute('@TOOLS/text.fail', { args: {}, critical: false }), read('@x/c', { output: 'c' })]),
    message([
      write('@x/c', { content: '', expected_hash: hash('# C\nfour\n') }),
      execute('@TOOLS/text.fail', { args: {} }),
    ]),
    message([read('@x/file', { slice: 'lines[0:99]' })]),
    message([read('@x/none')]),
    'no json',
  ]);
  run_id = told.run_id;
  text = await runtime.ledger.export(run_id, { secrets: true });
  expect(told.receipts.map(({ evidence }) => evidence.reason?.code)).toEqual([
    ...[undefined, undefined, undefined, 'approval_denied', 'content_changed', 'slice_bounds', 'capability_threw'],
    ...['capability_threw', 'slice_bounds', 'symbol_unknown', 'json_syntax', undefined],
  ]);
});
afterAll(() => desk.close());

const check = async (jsonl: string, replay = false): Promise<Report> =>
  replay ? desk.runtime.ledger.check(jsonl, { replay }) : verified(jsonl);
const failed = ({ checks }: Report) => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const of = ({ checks }: Report, id: string) => checks.find((each) => each.id === id);
const records = (): LedgerRecord[] =>
  parseExport(text).records.flatMap((line) => (line === undefined ? [] : [line.record]));

describe('a run of messages', () => {
  test('a run of messages is replayed from its records without a difference', async () => {
    const report = await check(text, true);
    expect(failed(report)).toEqual([]);
    expect(of(report, 'decisions')).toEqual({ id: 'decisions', status: 'pass', count: expect.any(Number) });
    expect(of(report, 'replay')).toEqual({ id: 'replay', status: 'pass', count: records().length });
  });

  test('an export without the text around its expansions passes, and reports the steps taken as recorded', async () => {
    const given = await desk.runtime.ledger.export(run_id);
    const [all, shown] = [parseExport(text).payloads, parseExport(given).payloads];
    const left = [...all].filter(([sha256]) => !shown.has(sha256)).map(([, bytes]) => new TextDecoder().decode(bytes));
    expect(left).toContain(TEXT.slice(0, TEXT.indexOf('# C')));
    const report = await check(given, true);
    expect(failed(report)).toEqual([]);
    expect(of(report, 'decisions')?.skipped?.first.message).toContain('is not in this file');
  });

  test('a text or a table of sections that is too large to be kept is taken as recorded and reported', async () => {
    await desk.runtime.content.add([{ path: 'm.md', bytes: encodeText('# M\n'.repeat(501)) }]);
    await name(desk.runtime, '@x/many', 'FILE', 'm.md', 'head(1)');
    await name(desk.runtime, '@x/large', 'FILE', 'l.md', 'head(1)');
    const told = await desk.send([message([read('@x/large')]), message([read('@x/many')])]);
    expect(told.receipts[0]?.evidence.operations).toMatchObject([{ source: { line: 0 } }]);
    expect(told.receipts[0]?.evidence.operations?.[0]?.source?.text).toBeUndefined();
    const report = await desk.runtime.ledger.verify(told.run_id);
    expect([failed(report), of(report, 'decisions')?.skipped?.count]).toEqual([[], 2]);
  });
});

type Body = { readonly [member: string]: unknown };
type Receipt = {
  readonly receipt: { readonly expanded: readonly Body[]; readonly status: string };
  readonly evidence: Body;
};
const receiptOf = (body: Body) => body as unknown as Receipt;

/** Changes of a body that the owner of the ledger could make, with every hash right. */
const LIES: readonly (readonly [what: string, kind: string, nth: number, lie: (body: Body) => Body])[] = [
  [
    'more budget was left',
    'receipt',
    0,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      return { receipt, evidence: { ...evidence, spent: { symbols: 1, sections: 1, bytes: 1, expands: 1 } } };
    },
  ],
  [
    'less was shown',
    'receipt',
    0,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      return { evidence, receipt: { ...receipt, expanded: receipt.expanded.slice(1) } };
    },
  ],
  [
    'another slice was shown',
    'receipt',
    0,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      const expanded = receipt.expanded.map((each) => ({ ...each, slice: 'head(1)' }));
      return { evidence, receipt: { ...receipt, expanded } };
    },
  ],
  [
    'a step failed for another reason',
    'receipt',
    8,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      return {
        receipt,
        evidence: { ...evidence, reason: { class: 'resolution', code: 'slice_syntax', step: 'execute' } },
      };
    },
  ],
  [
    'a revocation ended a step without a revocation',
    'receipt',
    5,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      return { receipt, evidence: { ...evidence, reason: { class: 'authorization', code: 'permission_revoked' } } };
    },
  ],
  [
    'no source for the content that was read',
    'receipt',
    0,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      const operations = (evidence['operations'] as readonly Body[]).map(({ source: _, ...operation }) => operation);
      return { receipt, evidence: { ...evidence, operations } };
    },
  ],
  [
    'no operations for a step that failed',
    'receipt',
    5,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      const { operations: _, ...rest } = evidence;
      return { receipt, evidence: rest };
    },
  ],
  [
    'a message that was refused was accepted',
    'verdict',
    9,
    ({ refusal: _, ...body }) => ({ ...body, accepted: true, kind: 'work' }),
  ],
  ['another file was meant', 'verdict', 0, (body) => ({ ...body, resolved: OTHER.ref })],
  ['a symbol moved to another section', 'content', 0, (body) => ({ ...body, symbols: [] })],
  [
    'a symbol went twice',
    'content',
    0,
    (body) => {
      const symbols = body['symbols'] as readonly Body[];
      return { ...body, symbols: [...symbols, ...symbols] };
    },
  ],
  [
    'a symbol without a target still has no target',
    'content',
    0,
    (body) => ({
      ...body,
      symbols: [...(body['symbols'] as readonly Body[]), { symbol_id: '@x/z', from: OTHER.ref.sha256 }],
    }),
  ],
  ['another text was written', 'content', 0, (body) => ({ ...body, after: body['before'] })],
  [
    'no content was read',
    'receipt',
    0,
    (body) => {
      const { receipt, evidence } = receiptOf(body);
      const [first, ...rest] = evidence['operations'] as readonly Body[];
      const { source: _, ...operation } = first ?? {};
      const reason = { class: 'resolution', code: 'content_missing', step: 'execute' };
      return { receipt, evidence: { ...evidence, operations: [{ ...operation, reason }, ...rest] } };
    },
  ],
];
const OTHER = (() => {
  const bytes = encodeText('[]');
  return { bytes, ref: { sha256: hash('[]'), bytes: bytes.length } };
})();

test.each(LIES)('a ledger that says %s fails the decisions, at that record', async (_what, kind, nth, lie) => {
  const { run_seq = -1 } = records().filter((each) => each.kind === kind)[nth] ?? {};
  const payloads = new Map(parseExport(text).payloads).set(OTHER.ref.sha256, OTHER.bytes);
  const changed = rewrite(text, (each) => (each.run_seq === run_seq ? lie(each.body) : each.body), payloads);
  const report = await check(changed);
  expect([failed(report), (of(report, 'decisions')?.first?.run_seq ?? 0) <= run_seq]).toEqual([['decisions'], true]);
});

test('a message with attempted operations and without a verdict fails the decisions', async () => {
  const of = ({ kind, body }: LedgerRecord) => (kind === 'receipt' && body.receipt.actions.length > 0 ? [body] : []);
  const { step_id } = records().flatMap(of)[0]?.receipt ?? {};
  const judged = records().find(({ kind, body }) => kind === 'verdict' && body.step_id === step_id)?.run_seq;
  expect(judged).toBeDefined();
  const left = JSON.stringify(records().filter(({ run_seq }) => run_seq !== judged));
  const payloads = [...parseExport(text).payloads].filter(([sha256]) => left.includes(`"sha256":"${sha256}"`));
  const gone = rewrite(text, ({ run_seq, body }) => (run_seq === judged ? undefined : body), new Map(payloads));
  expect(failed(await check(gone))).toEqual(['decisions']);
});

test('a refused message without its verdict, or a decision that stands twice, fails the decisions', async () => {
  const places = (kind: string, like: object) =>
    records().flatMap((each) => (each.kind === kind && isLike(each.body, like) ? [each.run_seq] : []));
  const isLike = (body: object, like: object) =>
    Object.entries(like).every(([name, value]) => Object(body)[name] === value);
  const [refused] = places('verdict', { step: 10, accepted: false });
  const gone = rewrite(text, ({ run_seq, body }) => (run_seq === refused ? undefined : body));
  const last = places('decision', { step: 6 }).at(-1);
  const twice = rewrite(text, ({ body }) => body, undefined, undefined, last);
  expect([refused, last]).not.toContain(undefined);
  expect([failed(await check(gone)), failed(await check(twice))]).toEqual([['decisions'], ['decisions']]);
});

test('a run of messages that ends at any record passes as far as it goes', async () => {
  const { length } = records();
  for (let end = 3; end < length; end += 4) {
    const cut = rewrite(text, ({ run_seq, body }) => (run_seq < end ? body : undefined));
    expect([failed(await check(cut)), end]).toEqual([[], end]);
  }
});
