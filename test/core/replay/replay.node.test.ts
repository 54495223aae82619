import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckId, formatExport, type LedgerRecord, parseExport, type Report } from '../../../core/index.ts';
import { checkExport } from '../../../workers/auditor/verify-export.ts';
import { openSandboxes } from '../../../workers/node/platform.ts';
import * as node from '../../../workers/node.ts';
import { fromScript } from '../../../workers/node.ts';
import type { OpenSandboxes } from '../../../workers/ports.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { reorder, replacePayload, rewrite } from './rewrite.ts';
import { call, EVERYTHING, record } from './runs.ts';

let everything = '';
let sandboxes: Awaited<ReturnType<OpenSandboxes>>;
beforeAll(async () => {
  everything = await record(openRuntime);
  sandboxes = await openSandboxes();
});
afterAll(() => sandboxes.sandbox.close());

/** Sandboxes of `sallyport/node`, shared so that they are not started anew for each of hundreds of files. */
const shared: OpenSandboxes = async () => ({ ...sandboxes, sandbox: { ...port(), close: async () => undefined } });
const port = () => ({
  check: sandboxes.sandbox.check.bind(sandboxes.sandbox),
  load: sandboxes.sandbox.load.bind(sandboxes.sandbox),
  call: sandboxes.sandbox.call.bind(sandboxes.sandbox),
});
const verifyExport = (text: string) => checkExport(text, {}, shared);
const replayExport = (text: string) => checkExport(text, { replay: true }, shared);

const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);
const records = (text: string): LedgerRecord[] =>
  parseExport(text).records.flatMap((line) => (line === undefined ? [] : [line.record]));
const textOf = (text: string, sha256: string) => new TextDecoder().decode(parseExport(text).payloads.get(sha256));

describe('a run made again from its records', () => {
  test('a replayed run passes, with a record of every kind', async () => {
    const report = await replayExport(everything);
    expect(failed(report)).toEqual([]);
    const judged = records(everything).filter(({ kind }) => kind === 'verdict' || kind === 'decision').length;
    expect(check(report, 'decisions')).toEqual({ id: 'decisions', status: 'pass', count: judged });
    expect(check(report, 'replay')).toEqual({ id: 'replay', status: 'pass', count: records(everything).length });
  });

  test('a replayed run passes in the package', async () => {
    expect((await node.replayExport(everything)).checks.map(({ status }) => status)).toEqual([
      ...['pass', 'pass', 'pass', 'not_run'],
      ...['pass', 'pass'],
    ]);
    const anchor = { count: 3, head: '0'.repeat(64) };
    expect(failed(await node.verifyExport(everything, { anchor }))).toEqual(['anchor']);
  });

  test('verifyExport without replay reports the replay as not run', async () => {
    const report = await verifyExport(everything);
    expect([failed(report), check(report, 'replay')?.status]).toEqual([[], 'not_run']);
  });

  test('a ledger without `via` in its approvals replays', async () => {
    const older = rewrite(everything, ({ kind, body: { via, ...body } }) => {
      if (kind === 'approval' || kind === 'consent')
        expect(via).toBe(body['event'] === 'asked' ? undefined : 'program');
      return body;
    });
    expect(older).not.toContain('"via"');
    const report = await replayExport(older);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')).toMatchObject({ status: 'pass', count: report.records });
    const unheard = rewrite(everything, ({ body }) => ('via' in body ? { ...body, via: 'habit' } : body));
    expect(failed(await verifyExport(unheard))).toContain('form');
  });

  const xct = (tool: string) => ({ next_step: { tool, arguments: { a: 1, b: 2 }, goal: 'see' } });
  const runs: readonly (readonly [string, () => Promise<string>])[] = [
    [
      'in another dialect',
      () => record(openRuntime, [xct('math.add'), { done: true, message: 'x' }], { dialect: 'xct' }),
    ],
    ['whose script ended early', () => record(openRuntime, [call('math.add')])],
    ['that used up its steps', () => record(openRuntime, EVERYTHING, { limits: { steps: 3 } })],
    ['that was refused too often', () => record(openRuntime, ['x', 'y', 'z'], { limits: { refusalsInRow: 2 } })],
    [
      'whose model is remote',
      () => record(openRuntime, [call('note.get'), call('math.add')], { remote: 'https://models.example' }),
    ],
  ];
  test.each(runs)('a run %s replays', async (_, run) => {
    const report = await replayExport(await run());
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')).toEqual({ id: 'replay', status: 'pass', count: report.records });
  });

  test('the reply to a result that is not JSON names the broken rule and the place', async () => {
    const results: readonly (readonly [value: string, rule: string, pointer?: string])[] = [
      ['undefined', 'undefined'],
      ['() => 1', 'function'],
      ['Symbol()', 'symbol'],
      ['[1n]', 'bigint'],
      ['{ const a = {}; return { a: (a.a = a) }; }', 'cyclic'],
      ['new Promise(() => {})', 'unsettled'],
      ['({ toJSON() { throw new RangeError("no") } })', 'thrown'],
      ['({ a: ["\\ud800"] })', 'lone_surrogate', '/a/0'],
      ['{ let a = []; for (let i = 0; i < 64; i++) a = [a]; return a; }', 'limit_depth'],
    ];
    const capabilities = results.map(([value], at) => ({
      ...{ name: `odd.${at}`, version: '1.0.0', description: 'x', args: {}, effect: 'pure' as const },
      source: `export default () => ${value};`,
    }));
    const grants = capabilities.map(({ name }) => ({ capability: name, mode: 'allow' as const }));
    const rt = await openRuntime({ capabilities, grants });
    const script = capabilities.map(({ name }) => ({ tool_call: { tool: name, args: {} } }));
    const limits = { refusalsInRow: 100 };
    const run = rt.start({ dialect: 'femtoclaw', task: 'x', model: fromScript(script), limits });
    await run.result;
    const text = await rt.ledger.export(run.id);
    await rt.close();
    const told = records(text).flatMap(({ kind, body }) =>
      kind === 'observation' ? [JSON.parse(textOf(text, body.payload.sha256)) as { details: unknown }] : [],
    );
    expect(told.map(({ details }) => details)).toMatchObject(
      results.map(([, rule, pointer]) => ({ code: 'result_not_json', rule, ...(pointer && { pointer }) })),
    );
    const report = await replayExport(text);
    expect([failed(report), check(report, 'replay')]).toEqual([
      [],
      { id: 'replay', status: 'pass', count: report.records },
    ]);
  });

  test('a run of two turns replays when the second turn was aborted during a question', async () => {
    const rt = await openRuntime({
      capabilities: [
        {
          name: 'note.put',
          version: '1.0.0',
          description: 'x',
          args: {},
          effect: 'write',
          source: 'export default () => 1;',
        },
      ],
      grants: [{ capability: 'note.put', mode: 'ask' }],
    });
    const ask = { tool_call: { tool: 'note.put', args: {} } };
    const run = rt.start({
      dialect: 'femtoclaw',
      task: 'One.',
      model: fromScript([{ message: { content: 'x' } }, ask]),
    });
    await run.result;
    await run.say('Two.');
    for await (const each of run.records()) if (each.kind === 'approval') break;
    await run.abort('enough');
    await run.result;
    const text = await rt.ledger.export(run.id);
    const report = await replayExport(text);
    await rt.close();
    expect([failed(report), check(report, 'replay')?.count]).toEqual([[], report.records]);
    // The reason of a person for an abort is text, not a code.
    const coded = rewrite(text, ({ body }) => (body['state'] === 'aborted' ? { ...body, code: 'no_grant' } : body));
    expect(failed(await verifyExport(coded))).toEqual(['decisions']);
  });

  test('a run that is not over passes the decisions up to its last record', async () => {
    const file = parseExport(everything);
    const texts = everything.split('\n').slice(1, 1 + file.records.length);
    for (let length = 1; length < texts.length; length += 5) {
      const cut = rewrite(everything, ({ run_seq, body }) => (run_seq < length ? body : undefined));
      const report = await verifyExport(cut);
      expect([failed(report), check(report, 'decisions')?.status], `${length}`).toEqual([[], 'pass']);
    }
  });
});

describe('a change with every hash made anew', () => {
  test('a changed verdict or decision fails the decisions and no other check, at its record', async () => {
    for (const { kind, run_seq } of records(everything)) {
      if (kind !== 'verdict' && kind !== 'decision') continue;
      const lie = rewrite(everything, (each) => {
        if (each.run_seq !== run_seq) return each.body;
        const { refusal: _, ...body } = each.body;
        if (kind === 'decision') return { ...body, now: Number(body['now']) + 1, decision: 'AUTHORIZED', code: 'x' };
        return { ...body, accepted: body['accepted'] !== true };
      });
      const report = await verifyExport(lie);
      expect([failed(report), check(report, 'decisions')?.first?.run_seq], kind).toEqual([['decisions'], run_seq]);
    }
  });

  test('a missing record that the rules demand fails the decisions', async () => {
    for (const kind of ['decision', 'approval', 'intent', 'observation', 'receipt']) {
      const gone = records(everything).find((each) => each.kind === kind)?.run_seq ?? -1;
      const report = await verifyExport(
        rewrite(everything, ({ run_seq, body }) => (run_seq === gone ? undefined : body)),
      );
      expect([failed(report), check(report, 'decisions')?.first?.run_seq], kind).toEqual([['decisions'], gone]);
    }
  });

  test('a receipt without its fuel, or a record that stands twice, fails the decisions', async () => {
    const paid = records(everything).filter(({ kind, body }) => kind === 'receipt' && 'fuel' in body.evidence);
    const failing = paid.find(({ kind, body }) => kind === 'receipt' && 'ended_by' in body.evidence);
    for (const place of [paid[0]?.run_seq, failing?.run_seq]) {
      const lie = rewrite(everything, ({ run_seq, body }) => {
        const { fuel: _, ...evidence } = Object(body['evidence']) as { readonly fuel?: number };
        return run_seq === place ? { ...body, evidence } : body;
      });
      const report = await verifyExport(lie);
      expect([failed(report), check(report, 'decisions')?.first?.run_seq]).toEqual([['decisions'], place]);
    }
    for (const kind of ['decision', 'intent', 'approval']) {
      const place = records(everything).find((each) => each.kind === kind)?.run_seq ?? -1;
      const twice = await verifyExport(rewrite(everything, ({ body }) => body, undefined, undefined, place));
      expect([failed(twice), check(twice, 'decisions')?.first?.run_seq], kind).toEqual([['decisions'], place + 1]);
    }
  });

  test('a malformed payload of console lines or power calls fails the decisions and is not taken for erased', async () => {
    let lies = 0;
    for (const { kind, body, run_seq } of records(everything)) {
      if (kind !== 'receipt') continue;
      const { console: lines, power_calls: calls } = body.evidence;
      for (const { sha256 } of [lines, calls].flatMap((each) => each ?? [])) {
        lies += 1;
        const told = JSON.parse(textOf(everything, sha256)) as readonly object[];
        const more = JSON.stringify(told.map((each) => ({ ...each, more: 1 })));
        const report = await verifyExport(replacePayload(everything, sha256, more));
        expect([failed(report), check(report, 'decisions')?.first?.run_seq]).toEqual([['decisions'], run_seq]);
      }
    }
    expect(lies).toBeGreaterThan(1);
  });

  test('an unknown end of a call is skipped by the decisions and fails the replay', async () => {
    const ended = records(everything).filter(({ kind, body }) => kind === 'receipt' && 'ended_by' in body.evidence);
    expect(ended.length).toBeGreaterThan(1);
    for (const { run_seq: place } of ended) {
      const lie = rewrite(everything, ({ run_seq, body }) =>
        run_seq === place ? { ...body, evidence: { ...Object(body['evidence']), ended_by: 'constructor' } } : body,
      );
      expect(check(await verifyExport(lie), 'decisions')?.skipped).toBeDefined();
      expect(failed(await replayExport(lie))).toEqual(['replay']);
    }
  });

  test('a changed fuel of a call fails the replay and no other check', async () => {
    const paid = records(everything).filter(({ kind, body }) => kind === 'receipt' && 'fuel' in body.evidence);
    for (const { run_seq } of [paid[0], paid.at(-1)].flatMap((each) => each ?? [])) {
      const lie = rewrite(everything, ({ run_seq: at, body }) =>
        at === run_seq ? { ...body, evidence: { ...(body['evidence'] as object), fuel: 1 } } : body,
      );
      const report = await replayExport(lie);
      expect([failed(report), check(report, 'replay')?.first?.run_seq]).toEqual([['replay'], run_seq]);
      expect(check(report, 'replay')?.difference).toMatchObject({ pointer: '/evidence/fuel', recorded: '1' });
    }
  });

  test('a changed result fails the replay, and the report has both values', async () => {
    const receipt = records(everything).find(({ kind }) => kind === 'receipt');
    const result = receipt?.kind === 'receipt' ? receipt.body.receipt.actions[0]?.result : undefined;
    const hash = result !== undefined && 'sha256' in result ? String(result.sha256) : '';
    expect(textOf(everything, hash)).toBe('3');
    const reply = records(everything).find(({ kind }) => kind === 'observation');
    const told = reply?.kind === 'observation' ? reply.body.payload.sha256 : '';
    const lie = replacePayload(replacePayload(everything, hash, '4'), told, '{"result":4,"status":"success"}');
    const report = await replayExport(lie);
    expect([failed(report), check(report, 'replay')?.first?.run_seq]).toEqual([['replay'], reply?.run_seq]);
    expect(check(report, 'replay')?.difference).toEqual({
      pointer: '/payload',
      recorded: '{"result":4,"status":"success"}',
      again: '{"result":3,"status":"success"}',
    });
  });

  test('a changed hash of policy, registry or limits fails the decisions', async () => {
    const [first] = records(everything);
    if (first?.kind !== 'configuration') throw new Error('no configuration');
    for (const name of ['policy_hash', 'registry_hash', 'limits_hash'] as const) {
      const lie = rewrite(everything, ({ kind, body }) =>
        kind === 'configuration' ? { ...body, [name]: '0'.repeat(64) } : body,
      );
      expect(failed(await verifyExport(lie)), name).toEqual(['decisions']);
    }
  });
});

describe('payloads that are not in the file', () => {
  test('an export without secrets passes, and reports the steps taken as recorded', async () => {
    const kept = await record(openRuntime, undefined, { secrets: false });
    const report = await replayExport(kept);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'decisions')?.skipped).toMatchObject({ count: 6, first: { code: 'not_replayed' } });
    expect(check(report, 'replay')?.skipped?.count).toBe(6);
    // Only this single step is taken as recorded: a receipt of another step does not close it.
    const place = check(report, 'decisions')?.skipped?.first.run_seq ?? -1;
    const closed = records(kept).find(({ kind, run_seq }) => kind === 'receipt' && run_seq > place)?.run_seq;
    const step_id = records(kept).flatMap(({ kind, body }) => (kind === 'proposal' ? [body.step_id] : []))[0];
    const other = rewrite(kept, ({ run_seq, body }) =>
      run_seq === closed ? { ...body, receipt: { ...Object(body['receipt']), step_id } } : body,
    );
    expect(failed(await verifyExport(other))).toEqual(['decisions']);
    const count = rewrite(kept, ({ run_seq, body }) =>
      run_seq === place + 1 ? { ...body, step: Number(body['step']) + 1 } : body,
    );
    expect(failed(await verifyExport(count))).toEqual(['decisions']);
    const told = records(kept).find(({ kind, run_seq }) => kind === 'observation' && run_seq > place)?.run_seq;
    const twice = rewrite(kept, ({ body }) => body, undefined, undefined, told);
    expect(failed(await verifyExport(twice))).toEqual(['decisions']);
  });

  test('a consent in the middle of a step fails the decisions', async () => {
    const text = await record(openRuntime, [call('note.get'), call('math.add')], { remote: 'https://models.example' });
    const [proposal] = records(text).flatMap(({ kind, body }) => (kind === 'proposal' ? [body.payload.sha256] : []));
    const rest = new Map([...parseExport(text).payloads].filter(([hash]) => hash !== proposal));
    const isConsent = ({ kind }: LedgerRecord) => kind === 'consent';
    const within = reorder(
      text,
      (lines) => {
        const others = lines.filter((each) => !isConsent(each));
        const end = others.findIndex(({ kind }) => kind === 'observation');
        return others.toSpliced(end, 0, ...lines.filter(isConsent));
      },
      rest,
    );
    expect(records(text).filter(isConsent)).toHaveLength(2);
    expect(failed(await verifyExport(reorder(text, (lines) => lines, rest)))).toEqual([]);
    expect(failed(await verifyExport(within))).toEqual(['decisions']);
  });

  test('any missing payload fails no check, and without registry or policy the decisions are not run', async () => {
    const file = parseExport(everything);
    const texts = everything.split('\n').slice(1, 1 + file.records.length);
    const [first] = records(everything);
    const facts = first?.kind === 'configuration' ? [first.body.registry.sha256, first.body.policy.sha256] : [];
    for (const gone of file.payloads.keys()) {
      const rest = [...file.payloads].filter(([hash]) => hash !== gone).map(([sha256, bytes]) => ({ sha256, bytes }));
      const report = await verifyExport(formatExport(file.run_id ?? '', texts, rest));
      expect(failed(report), textOf(everything, gone)).toEqual([]);
      expect(check(report, 'decisions')?.status).toBe(facts.includes(gone) ? 'not_run' : 'pass');
    }
    const none = await replayExport(formatExport(file.run_id ?? '', texts, []));
    expect([failed(none), check(none, 'decisions')?.skipped?.first.code]).toEqual([[], 'payload_missing']);
  });
});

test('verifyExport never rejects its promise for arbitrary payloads', async () => {
  const contents = [
    'null',
    '[]',
    '{}',
    '[null]',
    '{"details":{"error":1}}',
    '[{"name":1}]',
    '',
    '\u0000',
    '"x"',
    '-1e999',
  ];
  let turn = 0;
  for (const sha256 of parseExport(everything).payloads.keys()) {
    const report = await verifyExport(replacePayload(everything, sha256, contents[turn++ % contents.length] ?? ''));
    expect(['pass', 'fail']).toContain(check(report, 'decisions')?.status);
  }
});
