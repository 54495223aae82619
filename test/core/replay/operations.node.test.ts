import { beforeAll, describe, expect, test } from 'vitest';
import { type CheckId, type LedgerRecord, parseExport, type Report } from '../../../core/index.ts';
import { deferred } from '../../../workers/async.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { execute, message } from '../../runtime/content/messages.ts';
import { replayed } from '../../runtime/replayed.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { type Rewritable, replacePayload, rewrite } from './rewrite.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const NAMES = ['page.read', 'mail.send', 'mail.drop', 'page.post'];
const define = (name: string, source: string) =>
  defineCapability({
    ...common,
    name,
    effect: 'egress',
    powers: NAMES,
    source,
    limits: { fuel: 2_000_000, consoleBytes: 1000 },
  });

const USE = `export default async (args, powers) => {
  const text = await powers.page.read(1);
  const said = await powers.mail.send(text + '!').catch((e) => e.name);
  return [text, said, await powers.mail.drop(2).catch((e) => e.name), Math.random()];
}`;
/** Ends at its limit while a power call is unanswered. */
const LOOP = `export default async (args, powers) => {
  const text = powers.page.read('posted');
  void powers.page.post('never answered');
  await text;
  for (;;);
}`;
const CAPABILITIES = [
  define('use', USE),
  define('put', 'export default (args, { mail }) => mail.send("put");'),
  define('post', 'export default async (args, { page }) => [await page.post("a"), await page.post("b")];'),
  define('loop', LOOP),
  define('print', LOOP.replace('for (;;);', 'for (;;) console.log("more and more");')),
];

async function record(dialect: 'catalytic' | 'xct', script: readonly object[]): Promise<string> {
  let posting = deferred<void>();
  const posted = async () => {
    await posting.promise;
    posting = deferred();
    return 'posted';
  };
  let asked = 0;
  const powers = [
    definePower({
      ...common,
      name: 'page.read',
      effect: 'read',
      // Answers after the call of `page.post` has begun.
      run: async (what) => (what === 'posted' ? posted() : 'read'),
    }),
    definePower({ ...common, name: 'mail.send', effect: 'egress', run: (text) => `sent ${JSON.stringify(text)}` }),
    definePower({ ...common, name: 'mail.drop', effect: 'write', run: () => null }),
    definePower({
      ...common,
      name: 'page.post',
      effect: 'write',
      run: async (what) =>
        what === 'never answered' ? new Promise<never>(() => posting.resolve()) : `posted ${String(what)}`,
    }),
  ];
  const runtime = await openRuntime({
    capabilities: CAPABILITIES,
    powers,
    grants: [
      ...CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' }) as const),
      { power: 'page.read', mode: 'allow' },
      { power: 'mail.send', mode: 'ask' },
      { power: 'mail.drop', mode: 'deny' },
      { power: 'page.post', mode: 'allow' },
    ],
    guard: false,
    approve: async () => (++asked === 2 ? { approved: false, reason: 'not now' } : { approved: true }),
  });
  const run = runtime.start({ dialect, task: 'Use them.', model: fromScript(script as never), heapHash: true });
  await run.result;
  const text = await runtime.ledger.export(run.id, { secrets: true });
  await runtime.close();
  return text;
}

let messages = '';
let calls = '';
beforeAll(async () => {
  const op = (name: string, critical = true) => execute(`@TOOLS/${name}`, { args: {}, critical });
  const step = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'use' } });
  messages = await record('catalytic', [
    message([op('use'), op('use'), op('post'), op('post'), op('put'), op('use')]),
    message([op('loop', false), op('post')]),
    message([op('print')]),
    message([]),
  ]);
  calls = await record('xct', [step('loop'), step('print'), step('post'), { done: true, message: 'done' }]);
});

const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);
const records = (text: string): LedgerRecord[] =>
  parseExport(text).records.flatMap((line) => (line ? [line.record] : []));
const told = (text: string, sha256: string) => new TextDecoder().decode(parseExport(text).payloads.get(sha256));
type Body = Rewritable['body'];
type Members = { readonly [member: string]: unknown };

function changed(text: string, place: number, change: (body: Body) => Body): string {
  return rewrite(text, ({ run_seq, body }) => (run_seq === place ? change(body) : body));
}
const places = (text: string, kind: string, like: Members = {}): readonly number[] =>
  records(text)
    .filter((each) => each.kind === kind)
    .filter(({ body }) => Object.entries(like).every(([name, value]) => (body as unknown as Members)[name] === value))
    .map(({ run_seq }) => run_seq);
const receiptAt = (text: string, nth: number) => places(text, 'receipt')[nth] ?? -1;
/** Changes the entry of an operation in the evidence of a receipt. */
const inOperation = (nth: number, change: (operation: Members) => Members) => (body: Body) => {
  const evidence = body['evidence'] as Members;
  const operations = (evidence['operations'] as readonly Members[]).map((each, at) =>
    at === nth ? change(each) : each,
  );
  return { ...body, evidence: { ...evidence, operations } };
};
const decided = (ticket: number, change: Members) => (operation: Members) => ({
  ...operation,
  powers: (operation['powers'] as readonly Members[]).map((each) =>
    each['ticket'] === ticket ? { ...each, ...change } : each,
  ),
});
const operation = (step: number, nth: number) => {
  const { body } = records(messages)[receiptAt(messages, step)] as Extract<LedgerRecord, { kind: 'receipt' }>;
  return { evidence: body.evidence.operations?.[nth], action: body.receipt.actions[nth] };
};

describe('page powers in the operations of a message', () => {
  test('operations of a message are replayed with the recorded answers of page powers, to their fuel and heap', async () => {
    expect(operation(0, 1).evidence?.powers?.map(({ code }) => code)).toEqual([
      undefined,
      'approval_denied',
      'grant_denied',
    ]);
    expect(operation(1, 0).evidence).toMatchObject({ reason: { code: 'power_interrupted' }, ended_by: 'fuel' });
    expect(operation(2, 0).evidence).toMatchObject({ reason: { code: 'power_interrupted' }, ended_by: 'console' });
    const report = await replayed(messages);
    expect([failed(report), check(report, 'replay')?.first, check(report, 'decisions')?.first]).toEqual([
      [],
      undefined,
      undefined,
    ]);
    const page = records(messages).filter(
      ({ kind, body }) =>
        ['power', 'approval', 'parked'].includes(kind) || (kind === 'progress' && body.event === 'reads'),
    ).length;
    expect(page).toBeGreaterThan(20);
    expect(check(report, 'replay')?.count).toBe(report.records - page);
    expect(check(report, 'replay')?.skipped?.count).toBe(9);
  });

  test('each power of an operation is asked about under a digest of its own', () => {
    const digests = records(messages).flatMap(({ kind, body }) =>
      kind === 'approval' && body.event === 'asked' ? [body.digest] : [],
    );
    expect([digests.length, new Set(digests).size]).toEqual([4, 4]);
  });

  test.each([
    ['the first', 0, 0],
    ['the last', 0, 5],
    ['the operation that a limit ended during a power call', 1, 0],
    ['the operation that printed too much during a power call', 2, 0],
  ])('a false fuel of %s is found by the replay', async (_, step, nth) => {
    const place = receiptAt(messages, step);
    const before = records(messages)[place]?.body as { readonly evidence: { readonly step: number } };
    const [earlier = place] = places(messages, 'progress', { operation: nth, step: before.evidence.step });
    const inReceipt = changed(
      messages,
      place,
      inOperation(nth, (each) => ({ ...each, fuel: 1 })),
    );
    // the record of a settled operation says the same as its receipt
    if (earlier < place) expect(failed(await replayed(inReceipt))).toEqual(['decisions']);
    const alike = (body: Body) => ({ ...body, evidence: { ...(body['evidence'] as Members), fuel: 1 } });
    const report = await replayed(earlier < place ? changed(inReceipt, earlier, alike) : inReceipt);
    expect([failed(report), check(report, 'replay')?.first?.run_seq]).toEqual([['replay'], earlier]);
  });

  test('a false result of an operation is found by the replay', async () => {
    const { sha256 = '' } = (operation(0, 3).action?.result ?? {}) as { readonly sha256?: string };
    expect(told(messages, sha256)).toBe('["posted a","posted b"]');
    const { evidence } = operation(0, 3);
    const replies = records(messages).flatMap(({ kind, body }) =>
      kind === 'observation' ? [body.payload.sha256] : [],
    );
    const forged = [sha256, ...replies].reduce(
      (text, hash) => replacePayload(text, hash, told(messages, hash).replaceAll('"posted b"', '"posted c"')),
      messages,
    );
    expect(evidence?.result_hash).toBe(sha256);
    const report = await replayed(forged);
    expect(failed(report)).toEqual(['replay']);
    expect(check(report, 'replay')?.first?.run_seq).toBeLessThanOrEqual(receiptAt(messages, 0));
  });

  test('a false answer of a power in an operation is found by the replay', async () => {
    const { sha256 = '' } = operation(0, 0).evidence?.power_calls ?? {};
    const report = await replayed(replacePayload(messages, sha256, told(messages, sha256).replace('"read"', '"tale"')));
    // the record of the read holds the answer too
    expect(failed(report)).toEqual(['decisions']);
    expect(check(report, 'decisions')?.first?.run_seq).toBeLessThanOrEqual(receiptAt(messages, 0));
  });

  const grant = { grant: '0'.repeat(64) };
  const LIES: readonly (readonly [string, () => number, (body: Body) => Body])[] = [
    [
      'a permission it did not have',
      () => receiptAt(messages, 0),
      inOperation(0, decided(3, { decision: 'AUTHORIZED' })),
    ],
    [
      'a permission that a person refused',
      () => receiptAt(messages, 0),
      inOperation(1, decided(2, { decision: 'AUTHORIZED' })),
    ],
    [
      'a refusal that was none',
      () => receiptAt(messages, 0),
      inOperation(0, decided(1, { decision: 'DENIED_POLICY_VIOLATION', code: 'no_grant' })),
    ],
    ['another reason for a refusal', () => receiptAt(messages, 0), inOperation(5, decided(3, { code: 'no_grant' }))],
    ['no decision at all', () => receiptAt(messages, 1), inOperation(1, ({ powers: _, ...each }) => each)],
    ['another grant', () => receiptAt(messages, 0), inOperation(2, decided(2, grant))],
    [
      'decisions in the reverse order',
      () => receiptAt(messages, 0),
      inOperation(2, (each) => ({ ...each, powers: (each['powers'] as readonly Members[]).toReversed() })),
    ],
    [
      'a power issued under another grant',
      () => places(messages, 'power', { event: 'issued' })[2] ?? -1,
      (body) => ({ ...body, ...grant }),
    ],
    [
      'a power issued under another policy',
      () => places(messages, 'power', { event: 'issued' })[4] ?? -1,
      (body) => ({ ...body, policy_hash: '0'.repeat(64) }),
    ],
    [
      'another status',
      () => places(messages, 'power', { event: 'answered' })[4] ?? -1,
      (body) => ({ ...body, status: 'error' }),
    ],
    [
      'another answer',
      () => places(messages, 'power', { event: 'answered' })[1] ?? -1,
      (body) => ({ ...body, answer: answerIn(2) }),
    ],
    [
      'a no that was a yes',
      () => places(messages, 'approval', { event: 'answered' })[0] ?? -1,
      ({ approved: _, ...body }) => ({ ...body, approved: false, reason: answerIn(1) }),
    ],
    [
      'a question about another nonce',
      () => places(messages, 'approval', { event: 'asked' })[2] ?? -1,
      (body) => ({ ...body, nonce: 'x' }),
    ],
  ];
  const answerIn = (nth: number) => {
    const { body } = records(messages)[places(messages, 'power', { event: 'answered' })[nth] ?? 0] as LedgerRecord;
    return (body as unknown as Members)['answer'];
  };
  test.each(LIES)('a ledger that tells of %s fails the decisions', async (_, place, lie) => {
    expect(place()).toBeGreaterThan(0);
    const report = await replayed(changed(messages, place(), lie));
    expect(failed(report)).toEqual(['decisions']);
    expect(check(report, 'decisions')?.first?.run_seq).toBeLessThanOrEqual(Math.max(place(), receiptAt(messages, 0)));
  });

  test('a missing record of a power that can change data fails the decisions', async () => {
    for (const gone of places(messages, 'power')) {
      const report = await replayed(rewrite(messages, ({ run_seq, body }) => (run_seq === gone ? undefined : body)));
      expect([failed(report), gone]).toEqual([['decisions'], gone]);
    }
  });

  test('a run of messages with powers passes when it is cut at any record', async () => {
    const { length } = records(messages);
    for (let end = 4; end < length; end += 3) {
      const cut = rewrite(messages, ({ run_seq, body }) => (run_seq < end ? body : undefined));
      expect([failed(await replayed(cut)), end]).toEqual([[], end]);
    }
  });
});

describe('a call that ended during a power call', () => {
  const evidence = (nth: number, change: Members) =>
    changed(calls, receiptAt(calls, nth), (body) => ({
      ...body,
      evidence: { ...(body['evidence'] as Members), ...change },
    }));

  test('a call that ended during a power call is replayed with the power still unanswered', async () => {
    const ends = records(calls).flatMap(({ kind, body }) =>
      kind === 'receipt' ? [[body.evidence.reason?.code, body.evidence.ended_by]] : [],
    );
    expect(ends.slice(0, 2)).toEqual([
      ['power_interrupted', 'fuel'],
      ['power_interrupted', 'console'],
    ]);
    const report = await replayed(calls);
    const page = ['power', 'parked', 'progress'].reduce((sum, kind) => sum + places(calls, kind).length, 0);
    expect([failed(report), check(report, 'replay')?.count]).toEqual([[], report.records - page]);
  });

  test.each([
    ['fuel', { fuel: 1 }, 'replay'],
    ['limit', { ended_by: 'memory' }, 'replay'],
    ['reason', { reason: { class: 'limit', code: 'fuel_exhausted', step: 'execute' } }, 'decisions'],
  ])('a call that ended during a power call fails a check with another %s', async (_, change, id) => {
    for (const nth of [0, 1]) {
      const report = await replayed(evidence(nth, change));
      expect(failed(report)).toEqual([id]);
      expect(check(report, id as CheckId)?.first?.run_seq).toBeLessThanOrEqual(receiptAt(calls, nth));
    }
  });

  test('a call that ended during a power call fails the decisions when its power is recorded as refused', async () => {
    const { evidence: before } = (records(calls)[receiptAt(calls, 0)] as Extract<LedgerRecord, { kind: 'receipt' }>)
      .body;
    const powers = before.powers?.map((each) =>
      each.ticket === 2 ? { ...each, decision: 'DENIED_POLICY_VIOLATION' } : each,
    );
    expect(failed(await replayed(evidence(0, { powers })))).toEqual(['decisions']);
  });
});
