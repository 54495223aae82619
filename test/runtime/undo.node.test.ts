import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { ApprovalRequest, Run, Runtime, Session, UndoneRow, UndoOptions } from '../../workers/api.ts';
import {
  defineCapability,
  defineCodeTool,
  definePower,
  defineTool,
  fromScript,
  type NodeOptions,
  ToolError,
} from '../../workers/node.ts';
import { emptyLog } from '../../workers/store/memory/store.ts';
import { execute, message } from './content/messages.ts';
import { expectReplayed } from './replayed.ts';
import { openAt, openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const PATH = {
  type: 'object',
  properties: { path: { type: 'string' }, text: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;

/** Files that the tools write, and what the reverts were given. */
let files: Record<string, string> = {};
let given: unknown[] = [];

const write = defineTool({
  ...common,
  name: 'fs.write',
  effect: 'write',
  labels: [],
  args: PATH,
  result: { type: 'object', properties: { before: { type: 'string' } }, additionalProperties: false },
  run: ({ path, text = '' }) => {
    const before = files[path];
    files[path] = text;
    return before === undefined ? {} : { before };
  },
  revert: ({ args, result, call }) => {
    given.push({ args, result, step: call.step });
    if (files[args.path] === 'locked') throw new ToolError('Locked', 'the file is locked');
    if (result.before === undefined) delete files[args.path];
    else files[args.path] = result.before;
  },
});
const read = defineTool({
  ...common,
  name: 'fs.read',
  effect: 'read',
  labels: ['private'],
  args: PATH,
  run: ({ path }) => files[path] ?? null,
});
const send = defineTool({ ...common, name: 'mail.send', effect: 'egress', labels: [], args: {}, run: () => 'sent' });
const tools = [write, read, send];
const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
const yes = async () => ({ approved: true }) as const;

let open: Runtime | undefined;
afterEach(async () => {
  await open?.close();
  files = {};
  given = [];
});

async function session(more: NodeOptions = {}): Promise<Session> {
  open = await openRuntime({ tools, grants, ...more });
  return open.openSession();
}
const put = (in_: Session, path: string, text: string) => in_.call('fs.write', { path, text });
const undo = (run: string, more: Partial<UndoOptions> = {}) => open?.undo({ run, approve: yes, ...more });
const steps = (rows: readonly UndoneRow[] = []) => rows.map(({ step }) => step);
const first = (records: readonly LedgerRecord[] = []) =>
  records[0]?.kind === 'configuration' ? records[0].body : undefined;

describe('taking back', () => {
  test('a grant for principals permits no undo, which nobody of them asks for', async () => {
    const work = await session();
    await put(work, 'a', '1');
    await open?.grants.grant({ revert: 'fs.write', mode: 'allow', for: ['ada'] });
    const asked: string[] = [];
    const approve = async ({ capability }: ApprovalRequest) => {
      asked.push(capability);
      return yes();
    };
    await work.close();
    await undo(work.run.id, { approve });
    expect([asked, files]).toEqual([['revert.fs.write'], {}]);
  });

  test('a run is taken back newest first, in a run of its own that says what it undoes, and that replays', async () => {
    const in_ = await session();
    await in_.call('fs.read', { path: 'a' });
    await put(in_, 'a', 'one');
    await put(in_, 'a', 'two');
    await put(in_, 'b', 'three');
    const asked: ApprovalRequest[] = [];
    const end = await undo(in_.run.id, { approve: async (request) => (asked.push(request), { approved: true }) });
    expect(files).toEqual({});
    expect(given).toEqual([
      { args: { path: 'b', text: 'three' }, result: {}, step: 4 },
      { args: { path: 'a', text: 'two' }, result: { before: 'one' }, step: 3 },
      { args: { path: 'a', text: 'one' }, result: {}, step: 2 },
    ]);
    expect([steps(end?.undone), end?.stands, end?.failed]).toEqual([[4, 3, 2], [], undefined]);
    expect(asked.map(({ capability, effect }) => [capability, effect])).toEqual(
      [1, 2, 3].map(() => ['revert.fs.write', 'write']),
    );
    expect(asked[0]?.reason).toBe(
      `It takes back what fs.write did in step 4 of the run ${in_.run.id.slice(0, 8)}. The grant says to ask.`,
    );
    expect(JSON.parse(asked[0]?.args ?? '')).toMatchObject({ args: { path: 'b' }, result: {}, call: { step: 4 } });
    const records = await open?.ledger.records(end?.run_id ?? '');
    expect(first(records)).toMatchObject({ labels: ['private'], undoes: { run_id: in_.run.id } });
    expect(first(records)?.undoes?.calls.map(({ step }) => step)).toEqual([4, 3, 2]);
    expect(records?.at(-1)?.kind).toBe('seal');
    await expectReplayed((await open?.ledger.export(end?.run_id ?? '', { secrets: true })) ?? '');
  });

  test('a step alone is taken back, and later calls and runs that stay are told to the person', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    await put(in_, 'b', 'two');
    const later = open?.openSession();
    await later?.call('fs.read', { path: 'a' });
    const asked: string[] = [];
    const end = await undo(in_.run.id, {
      step: 1,
      approve: async ({ reason }) => (asked.push(reason), { approved: true }),
    });
    expect([files, steps(end?.undone), end?.later_calls]).toEqual([{ b: 'two' }, [1], 1]);
    expect(asked[0]).toContain('1 later call of that run stays, 1 run began later, and may rest on it');
  });

  test('back to a step keeps that step', async () => {
    const in_ = await session();
    for (const text of ['one', 'two', 'three']) await put(in_, 'a', text);
    expect(steps((await undo(in_.run.id, { back_to: 1 }))?.undone)).toEqual([3, 2]);
    expect(files).toEqual({ a: 'one' });
  });

  test('the plan says what would be done, and changes nothing', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    const plan = await open?.undoPlan({ run: in_.run.id });
    expect(plan).toEqual({
      calls: [{ step: 1, capability: 'fs.write', args: { path: 'a', text: 'one' }, result: {} }],
      barriers: [],
      before: [],
      later_calls: 0,
      later_runs: 0,
    });
    expect([files, given]).toEqual([{ a: 'one' }, []]);
  });

  test('it stops at the first that fails, and goes on where the cause is gone', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    await put(in_, 'b', 'locked');
    await put(in_, 'c', 'three');
    const end = await undo(in_.run.id);
    expect([steps(end?.undone), steps(end?.stands), end?.failed?.step, end?.failed?.refusal.code]).toEqual([
      [3],
      [2, 1],
      2,
      'capability_threw',
    ]);
    expect(files).toEqual({ a: 'one', b: 'locked' });
    files['b'] = 'open again';
    expect(steps((await undo(in_.run.id))?.undone)).toEqual([2, 1]);
  });

  test('a no ends it: nothing was taken back', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    const end = await undo(in_.run.id, { approve: async () => ({ approved: false, reason: 'keep it' }) });
    expect([end?.undone, steps(end?.stands), end?.failed?.refusal.code]).toEqual([[], [1], 'approval_denied']);
    const nobody = await open?.undo({ run: in_.run.id });
    expect(nobody?.failed?.refusal.code).toBe('approval_unavailable');
    expect(files).toEqual({ a: 'one' });
  });

  test('a grant for the revert permits it without a question, and no run sees it', async () => {
    const in_ = await session({ grants: [...grants, { revert: 'fs.write', mode: 'allow' }] });
    await put(in_, 'a', 'one');
    const end = await open?.undo({ run: in_.run.id });
    expect(steps(end?.undone)).toEqual([1]);
    expect((await in_.tools()).map(({ name }) => name)).not.toContain('revert.fs.write');
    expect(await in_.call('revert.fs.write', {})).toMatchObject({ refusal: { code: 'unknown_capability' } });
    await expect(openRuntime({ tools, grants: [{ revert: 'mail.send', mode: 'allow' }] })).rejects.toMatchObject({
      code: 'option_invalid',
    });
  });

  test('a step is undone once', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    await put(in_, 'a', 'two');
    const end = await undo(in_.run.id, { step: 2 });
    await expect(undo(in_.run.id, { step: 2 })).rejects.toMatchObject({
      code: 'undo_done',
      details: { run_id: end?.run_id },
    });
    expect(steps((await undo(in_.run.id))?.undone)).toEqual([1]);
    await expect(undo(in_.run.id)).rejects.toMatchObject({ code: 'undo_done' });
    // an undo that was deleted says no more what it has taken back
    await open?.ledger.delete(end?.run_id ?? '');
    await expect(undo(in_.run.id, { step: 2 })).rejects.toMatchObject({ code: 'undo_impossible' });
  });

  test('of two at once one wins', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    const both = await Promise.allSettled([undo(in_.run.id), undo(in_.run.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((each) => each.status === 'rejected')?.reason).toMatchObject({
      code: expect.stringMatching(/^undo_(?:open|done)$/),
    });
    expect(given).toHaveLength(1);
  });
});

describe('what cannot be taken back', () => {
  const reasons = async (run: string, more: Partial<UndoOptions> = {}) =>
    (await open?.undoPlan({ run, ...more }))?.barriers.map(({ step, capability, reason }) => [
      step,
      capability,
      reason,
    ]);

  test('a call without a revert, and a step that failed or has changed nothing', async () => {
    const in_ = await session({
      tools: [
        ...tools,
        defineTool({
          ...common,
          name: 'no',
          effect: 'write',
          args: {},
          run: () => {
            throw new ToolError('No', 'no');
          },
          revert: () => null,
        }),
      ],
      grants: [...grants, { capability: 'no', mode: 'allow' }],
    });
    await put(in_, 'a', 'one');
    await in_.call('mail.send', {});
    await in_.call('no', {});
    await in_.call('fs.read', { path: 'a' });
    expect(await reasons(in_.run.id)).toEqual([[2, 'mail.send', 'no_revert']]);
    await expect(undo(in_.run.id)).rejects.toMatchObject({
      code: 'undo_impossible',
      details: { barriers: [{ step: 2, capability: 'mail.send', reason: 'no_revert' }] },
    });
    expect(given).toEqual([]);
    expect(await reasons(in_.run.id, { step: 3 })).toEqual([[3, 'no', 'failed']]);
    expect(await reasons(in_.run.id, { step: 4 })).toEqual([[4, 'fs.read', 'nothing']]);
    await expect(undo(in_.run.id, { step: 5 })).rejects.toMatchObject({ code: 'option_invalid' });
    await expect(undo(in_.run.id, { step: 1, back_to: 0 })).rejects.toMatchObject({ code: 'option_invalid' });
    await expect(undo('no-run')).rejects.toMatchObject({ code: 'run_absent' });
    expect(steps((await undo(in_.run.id, { step: 1 }))?.undone)).toEqual([1]);
  });

  test('a call whose definition has changed or is gone, or whose bytes were erased', async () => {
    const in_ = await session();
    await put(in_, 'a', 'one');
    await in_.close();
    await open?.tools.provide({ ...write, version: '1.0.1' });
    expect(await reasons(in_.run.id)).toEqual([[1, 'fs.write', 'changed']]);
    // a way back that follows data is another one where the data is another
    const follows = (to: string) => ({ ...write, revert: { terms: { to }, run: () => undefined } });
    await open?.tools.provide(follows('a'));
    await open?.grants.grant({ capability: 'fs.write', mode: 'allow' });
    const later = open?.openSession() as Session;
    await put(later, 'b', 'two');
    await later.close();
    expect(await reasons(later.run.id)).toEqual([]);
    await open?.tools.provide(follows('b'));
    expect(await reasons(later.run.id)).toEqual([[1, 'fs.write', 'changed']]);
    await open?.tools.remove('fs.write');
    expect(await reasons(in_.run.id)).toEqual([[1, 'fs.write', 'gone']]);
    await open?.tools.provide(write);
    expect(await reasons(in_.run.id)).toEqual([]);
    const args = (await open?.ledger.records(in_.run.id))?.flatMap(({ kind, body }) =>
      kind === 'verdict' && body.args ? body.args.sha256 : [],
    );
    await open?.ledger.erase(in_.run.id, { payloads: args ?? [] });
    expect(await reasons(in_.run.id)).toEqual([[1, 'fs.write', 'erased']]);
  });

  test('a call whose outcome is not known', async () => {
    const in_ = await session({
      tools: [
        defineTool({
          ...common,
          name: 'odd',
          effect: 'write',
          args: {},
          run: () => {
            throw new Error('cut off');
          },
          revert: () => null,
        }),
      ],
      grants: [{ capability: 'odd', mode: 'allow' }],
      onNotice: () => undefined,
    });
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await in_.call('odd', {});
    warned.mockRestore();
    expect(await reasons(in_.run.id)).toEqual([[1, 'odd', 'unknown']]);
  });
});

describe('calls within calls', () => {
  test('what a program called is taken back, newest first, and its stored values and powers stand in the way', async () => {
    const program = defineCodeTool({ name: 'program', tools: [write, read] });
    const in_ = await session({
      capabilities: [program],
      grants: [...grants, { capability: 'program', mode: 'allow' }],
    });
    await put(in_, 'a', 'one');
    const text = `await codemode.fs_write({ path: 'a', text: 'two' }); await codemode.fs_read({ path: 'a' }); await codemode.fs_write({ path: 'b', text: 'three' }); return 1;`;
    await in_.call('program', { program: text.replaceAll('codemode.fs_', 'tools.fs.') });
    const end = await undo(in_.run.id);
    expect(end?.undone.map(({ step, ticket }) => [step, ticket])).toEqual([
      [2, 3],
      [2, 1],
      [1, undefined],
    ]);
    expect(files).toEqual({});
  });

  test('a power and a stored value have no revert', async () => {
    const keeper = defineCapability({
      ...common,
      name: 'keeper',
      effect: 'write',
      args: {},
      powers: ['store.put', 'page.write'],
      run: async (_, powers) => {
        await powers.store.put('k', 1);
        await (powers['page'] as { write(x: number): Promise<void> }).write(1);
        return null;
      },
    });
    const page = definePower({ ...common, name: 'page.write', effect: 'write', args: {}, run: () => null });
    const in_ = await session({
      capabilities: [keeper],
      powers: [page],
      grants: [
        { capability: 'keeper', mode: 'allow' },
        { power: 'page.write', mode: 'allow' },
      ],
    });
    expect((await in_.call('keeper', {})).ok).toBe(true);
    const { barriers } = (await open?.undoPlan({ run: in_.run.id })) ?? {};
    expect(barriers?.map(({ capability, ticket, reason }) => [capability, ticket, reason])).toEqual([
      ['page.write', 2, 'no_revert'],
      ['store.put', 1, 'no_revert'],
    ]);
  });

  test('the operations of a message are taken back, newest first', async () => {
    open = await openRuntime({ tools, grants });
    const ops = ['one', 'two'].map((text) => execute('@TOOLS/fs.write', { args: { path: 'a', text } }));
    const run: Run = open.start({ dialect: 'catalytic', task: 'work', model: fromScript([message(ops), message([])]) });
    await run.result;
    expect(files).toEqual({ a: 'two' });
    const end = await undo(run.id);
    expect(end?.undone.map(({ step, operation }) => [step, operation])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(files).toEqual({});
  });
});

describe('held values', () => {
  test('a revert is given them, and the person is told where they stand', async () => {
    const in_ = await session({ hold: 'private', approve: yes });
    files['secret'] = 'dark';
    const held = await in_.call('fs.read', { path: 'secret' });
    await in_.call('fs.write', { path: 'copy', text: { $held: held.ok ? (held.held ?? '') : '' } });
    const asked: ApprovalRequest[] = [];
    const end = await undo(in_.run.id, {
      step: 2,
      approve: async (request) => (asked.push(request), { approved: true }),
    });
    expect(given).toEqual([{ args: { path: 'copy', text: 'dark' }, result: {}, step: 2 }]);
    expect([files, steps(end?.undone)]).toEqual([{ secret: 'dark' }, [2]]);
    expect(asked[0]?.held).toBe(true);
    expect(asked[0]?.carries?.map(({ pointer, labels }) => [pointer, labels])).toEqual([
      ['/args/text', ['private']],
      ['/result', ['private']],
    ]);
    expect(await open?.ledger.export(end?.run_id ?? '', { secrets: true })).toContain('dark');
    expect(await open?.ledger.export(end?.run_id ?? '')).not.toContain('dark');
    await expectReplayed((await open?.ledger.export(end?.run_id ?? '', { secrets: true })) ?? '');
  });

  test('they are told in the place of the handles of a call that a person has edited', async () => {
    const asks = [
      ...grants.filter(({ capability }) => capability !== 'fs.write'),
      { capability: 'fs.write', mode: 'ask' },
    ];
    open = await openRuntime({ tools, grants: asks as typeof grants, hold: 'private' });
    const in_ = open.openSession({ questions: 'wait' });
    files['secret'] = 'dark';
    await in_.call('fs.read', { path: 'secret' });
    const calling = in_.call('fs.write', { path: 'copy', text: { $held: 'h1' } });
    await expect.poll(() => in_.run.view.pending).toBeDefined();
    const digest = in_.run.view.pending?.digest ?? '';
    const instead = await in_.run.edit(digest, { path: 'other', text: 'dark' });
    await in_.run.answer(digest, { approved: true, instead });
    await calling;
    await in_.close();
    const asked: ApprovalRequest[] = [];
    await undo(in_.run.id, { approve: async (request) => (asked.push(request), { approved: true }) });
    expect([files, given]).toEqual([
      { secret: 'dark' },
      [{ args: { path: 'other', text: 'dark' }, result: {}, step: 3 }],
    ]);
    expect(asked[0]?.carries?.map(({ pointer, labels }) => [pointer, labels])).toEqual([
      ['/args/text', ['private']],
      ['/result', ['private']],
    ]);
  });
});

test('what a secret step did is taken back in a secret step', async () => {
  const keeper = defineCapability({
    ...common,
    name: 'keeper',
    effect: 'write',
    args: {},
    secret: ['args', 'result'],
    tools: ['fs.write'],
    run: async (_, powers) => powers.tools.call('fs.write', { path: 'a', text: 'dark' }),
  });
  const in_ = await session({ capabilities: [keeper], grants: [...grants, { capability: 'keeper', mode: 'allow' }] });
  await in_.call('keeper', {});
  const end = await undo(in_.run.id);
  expect([files, steps(end?.undone)]).toEqual([{}, [1]]);
  expect(await open?.ledger.export(end?.run_id ?? '')).not.toContain('dark');
  await expectReplayed((await open?.ledger.export(end?.run_id ?? '', { secrets: true })) ?? '');
});

describe('a process that dies', () => {
  test('while a question is open: the same undo goes on in the same run, and nothing runs twice', async () => {
    const log = emptyLog();
    const clock = { now: 1 };
    const before = await openAt(clock, { tools, grants }, log);
    const in_ = before.openSession();
    await put(in_, 'a', 'one');
    await put(in_, 'b', 'two');
    await in_.close();
    let asked = 0;
    const ids: string[] = [];
    void before
      .undo({
        run: in_.run.id,
        approve: async () => ((asked += 1) === 1 ? { approved: true } : new Promise<never>(() => undefined)),
        onRun: ({ id }) => ids.push(id),
      })
      .catch(() => undefined);
    await expect.poll(() => asked).toBe(2);
    open = await openAt(clock, { tools, grants }, log);
    await expect(undo(in_.run.id, { step: 1 })).rejects.toMatchObject({
      code: 'undo_open',
      details: { run_id: ids[0] },
    });
    const end = await undo(in_.run.id);
    expect([end?.run_id, steps(end?.undone), end?.stands]).toEqual([ids[0], [2, 1], []]);
    expect([files, given.length]).toEqual([{}, 2]);
  });

  test('during a revert: its outcome is not known, it is not made again, and the rest stands', async () => {
    const log = emptyLog();
    const clock = { now: 1 };
    let runs = 0;
    const slow = defineTool({
      ...common,
      name: 'slow',
      effect: 'write',
      args: {},
      run: () => null,
      revert: () => ((runs += 1), new Promise<never>(() => undefined)),
    });
    const options = {
      tools: [slow, write],
      grants: [{ capability: 'slow', mode: 'allow' }, ...grants.slice(0, 1)] as const,
    };
    const before = await openAt(clock, options, log);
    const in_ = before.openSession();
    await put(in_, 'a', 'one');
    await in_.call('slow', {});
    await in_.close();
    void before.undo({ run: in_.run.id, approve: yes }).catch(() => undefined);
    await expect.poll(() => runs).toBe(1);
    open = await openAt(clock, options, log);
    const end = await undo(in_.run.id);
    expect([end?.undone, steps(end?.stands), end?.failed?.step, end?.failed?.refusal.code]).toEqual([
      [],
      [2, 1],
      2,
      'interrupted',
    ]);
    expect(runs).toBe(1);
    await expect(undo(in_.run.id)).rejects.toMatchObject({
      code: 'undo_impossible',
      details: { barriers: [{ step: 2, capability: 'slow', reason: 'unknown' }] },
    });
    expect(steps((await undo(in_.run.id, { step: 1 }))?.undone)).toEqual([1]);
  });
});
