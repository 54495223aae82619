import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Bodies, LedgerRecord } from '../../../core/index.ts';
import type { ApprovalAnswer, Authorizer, OpenQuestion, Run, Runtime } from '../../../workers/api.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { rewrite } from '../../core/replay/rewrite.ts';
import { temporaryFolder } from '../../folder.ts';
import { execute, message } from '../../runtime/content/messages.ts';
import { expectReplayed, replayed } from '../../runtime/replayed.ts';
import { openRuntime } from '../../runtime/shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const capability = (name: string, effect: 'pure' | 'read' | 'egress', body = 'args', powers: readonly string[] = []) =>
  defineCapability({
    ...common,
    name,
    effect,
    powers,
    args: {},
    source: `export default async (args, powers) => ${body};`,
  });
const sum = capability('sum', 'pure');
const read = capability('read', 'read');
const send = capability('send', 'egress');
const call = (tool: string, args = {}) => ({ next_step: { tool, arguments: args, goal: 'try' } });
const done = { done: true, message: 'done' };

let open: Runtime | undefined;
afterEach(() => open?.close());

type Ruling = (question: OpenQuestion) => Awaited<ReturnType<Authorizer['authorize']>>;

/** Authorizer that answers by `say`, and the questions that it was asked. */
function rules(say: Ruling, id = 'rules-1') {
  const asked: OpenQuestion[] = [];
  const authorizer: Authorizer = {
    id,
    authorize: async (question) => {
      asked.push(question);
      return say(question);
    },
  };
  return { authorizer, asked };
}
const ALLOW: Ruling = () => ({ allow: true });
const DENY: Ruling = ({ capability: name }) => ({ allow: false, reason: `${name} is forbidden` });

type Options = Parameters<typeof openRuntime>[0];

async function start(steps: readonly object[], options: Options): Promise<Run> {
  const grants = [sum, read, send].map(({ name }) => ({ capability: name, mode: 'allow' as const }));
  open = await openRuntime({ capabilities: [sum, read, send], grants, ...options });
  return open.start({ dialect: 'xct', task: 'Try.', model: fromScript([...steps, done]) });
}

async function finished(run: Run): Promise<readonly LedgerRecord[]> {
  await run.result;
  await expectReplayed((await open?.ledger.export(run.id, { secrets: true })) ?? '');
  return (await open?.ledger.records(run.id)) ?? [];
}
const codes = (records: readonly LedgerRecord[]) =>
  records
    .flatMap(({ kind, body }) => (kind === 'receipt' ? [body.evidence.reason?.code ?? 'SUCCESS'] : []))
    .slice(0, -1);
const answers = (records: readonly LedgerRecord[]) =>
  records.flatMap(({ kind, body }) =>
    kind === 'approval' && body.event === 'answered' ? [[body.capability, body.approved, body.via]] : [],
  );
const decisions = (records: readonly LedgerRecord[]): readonly Bodies['decision'][] =>
  records.flatMap(({ kind, body }) => (kind === 'decision' ? [body] : []));

test('a call needs the permission of a grant and of the authorizer, and the ledger records both', async () => {
  const { authorizer, asked } = rules(({ args }) =>
    args === '{"n":1}' ? { allow: true } : { allow: false, reason: 'one only' },
  );
  const run = await start([call('sum', { n: 1 }), call('sum', { n: 2 })], { authorizer });
  const records = await finished(run);
  expect(codes(records)).toEqual(['SUCCESS', 'authorizer_denied']);
  expect(answers(records)).toEqual([
    ['sum', true, 'authorizer'],
    ['sum', false, 'authorizer'],
  ]);
  expect(decisions(records).map(({ decision, why }) => why ?? decision)).toEqual([
    'authorizer',
    'AUTHORIZED',
    'authorizer',
  ]);
  expect(asked.map(({ capability: name, args, why }) => [name, args, why])).toEqual([
    ['sum', '{"n":1}', 'authorizer'],
    ['sum', '{"n":2}', 'authorizer'],
  ]);
  const told = await open?.ledger.payload(run.id, observed(records, 1));
  expect(new TextDecoder().decode(told)).toContain('one only');
});

function observed(records: readonly LedgerRecord[], at: number): string {
  const all = records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.payload.sha256] : []));
  return all[at] ?? '';
}

test('the policy hash of a decision covers the id of the authorizer', async () => {
  const policies = new Set<string | undefined>();
  for (const authorizer of [rules(ALLOW).authorizer, rules(ALLOW, 'rules-2').authorizer, undefined]) {
    const run = await start([call('sum')], authorizer === undefined ? {} : { authorizer });
    policies.add(decisions(await finished(run))[0]?.policy_hash);
    await open?.close();
  }
  expect(policies.size).toBe(3);
});

test('the authorizer is not asked about a call that the grants refuse', async () => {
  const { authorizer, asked } = rules(ALLOW);
  const grants = [
    { capability: 'send', mode: 'deny' as const },
    { capability: 'send', mode: 'allow' as const },
  ];
  const records = await finished(await start([call('sum'), call('send')], { authorizer, grants }));
  expect([codes(records), asked]).toEqual([['no_grant', 'grant_denied'], []]);
});

test('the authorizer is asked before a person: its denial ends the call, and its permission asks the person', async () => {
  const { authorizer } = rules(({ capability: name }) =>
    name === 'sum' ? { allow: true } : DENY({ capability: name } as never),
  );
  const people: string[] = [];
  const approve = async ({ capability: name }: { capability: string }): Promise<ApprovalAnswer> => {
    people.push(name);
    return { approved: false, reason: 'not today' };
  };
  const grants = ['sum', 'read'].map((name) => ({ capability: name, mode: 'ask' as const }));
  const records = await finished(await start([call('sum'), call('read')], { authorizer, approve, grants }));
  expect(codes(records)).toEqual(['approval_denied', 'authorizer_denied']);
  expect(people).toEqual(['sum']);
});

test('the guard asks a person although the authorizer permits, and the authorizer is asked again after the answer', async () => {
  let allow = true;
  const { authorizer, asked } = rules(() => (allow ? { allow } : { allow, reason: 'closed by now' }));
  const run = await start([call('read'), call('send'), call('send')], { authorizer });
  await expect.poll(() => run.view.pending?.capability).toBe('send');
  const first = run.view.pending;
  expect(first?.why).toBeUndefined();
  // An approval with `via: 'authorizer'` does not answer a question to a person.
  await run.answer(first?.digest ?? '', { approved: true, via: 'authorizer' });
  await run.answer(first?.digest ?? '', { approved: true, standing: { args: 'any' }, via: 'authorizer' });
  expect(run.view.pending?.digest).toBe(first?.digest);
  await run.answer(first?.digest ?? '', { approved: true, via: 'gesture' });
  await expect.poll(() => run.view.pending?.digest).not.toBe(first?.digest);
  await expect.poll(() => run.view.pending?.capability).toBe('send');
  const second = run.view.pending?.digest ?? '';
  await expect.poll(() => asked.at(-1)?.digest).toBe(second);
  allow = false;
  await run.answer(second, { approved: true, via: 'gesture' });
  const records = await finished(run);
  expect(codes(records)).toEqual(['SUCCESS', 'SUCCESS', 'authorizer_denied']);
});

test('an authorizer that throws, gives a malformed answer or stays silent denies the call', async () => {
  const failing: readonly Authorizer['authorize'][] = [
    () => Promise.reject(new Error('the rules are down')),
    async () => ({ allow: false, reason: 'half \ud800' }),
    () => {
      throw new Error('the rules are down');
    },
    async () => ({ allow: 'true' }) as never,
    async () => true as never,
    async () => Object.create({ allow: true }) as never,
    async () => undefined as never,
    (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ];
  for (const authorize of failing) {
    const run = await start([call('sum')], { authorizer: { id: 'x', authorize, timeoutMs: 20 } });
    const records = await finished(run);
    expect(codes(records)).toEqual(['authorizer_denied']);
    expect(await open?.ledger.export(run.id)).not.toContain('rules are down');
    await open?.close();
  }
  const authorizer = { authorize: async () => ({ allow: true }) as const } as never;
  await expect(openRuntime({ authorizer })).rejects.toMatchObject({ code: 'option_invalid' });
});

test('the authorizer is asked about each power call of a guest', async () => {
  const sent: unknown[] = [];
  const mail = definePower({
    ...common,
    name: 'mail.send',
    effect: 'egress',
    args: {},
    labels: [],
    run: (to) => sent.push(to),
  });
  const body = '[await powers.mail.send("a"), await powers.mail.send("b").catch((e) => e.name)]';
  const post = capability('post', 'read', body, ['mail.send']);
  const { authorizer } = rules(({ args }) => (args === '"b"' ? { allow: false, reason: 'not to b' } : { allow: true }));
  const options = {
    capabilities: [post],
    powers: [mail],
    authorizer,
    grants: [{ capability: 'post', mode: 'allow' } as const, { power: 'mail.send', mode: 'allow' } as const],
  };
  const run = await start([call('post')], options);
  const records = await finished(run);
  expect([codes(records), sent]).toEqual([['SUCCESS'], ['a']]);
  const told = await open?.ledger.payload(run.id, observed(records, 0));
  expect(JSON.parse(new TextDecoder().decode(told))).toMatchObject({ result: [1, 'authorizer_denied'] });
});

test('the authorizer is asked about each operation of a message, and a single denial refuses the message', async () => {
  const { authorizer, asked } = rules(({ args }) =>
    args === '{"n":2}' ? { allow: false, reason: 'no two' } : { allow: true },
  );
  open = await openRuntime({ capabilities: [sum], grants: [{ capability: 'sum', mode: 'allow' }], authorizer });
  const ops = [1, 2].map((n) => execute('@TOOLS/sum', { args: { n } }));
  const run = open.start({ dialect: 'catalytic', task: 'Try.', model: fromScript([message(ops), message([])]) });
  const records = await finished(run);
  expect([codes(records), asked.map(({ args }) => args)]).toEqual([['authorizer_denied'], ['{"n":1}', '{"n":2}']]);
});

test('an export in which the authorizer answers a question to a person does not verify', async () => {
  const { authorizer } = rules(ALLOW);
  const grants = [{ capability: 'sum', mode: 'ask' as const }];
  const approve = async () => ({ approved: true }) as const;
  const run = await start([call('sum')], { authorizer, approve, grants });
  await finished(run);
  const jsonl = (await open?.ledger.export(run.id)) ?? '';
  const forged = rewrite(jsonl, ({ kind, body }) =>
    kind === 'approval' && body['event'] === 'answered' ? { ...body, via: 'authorizer' } : body,
  );
  const { checks } = await replayed(forged);
  const failed = checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
  expect(failed).toEqual(['decisions']);
});

test('a question that was open when the process ended is put to the authorizer again', async () => {
  const directory = temporaryFolder();
  const [living, dead] = ['living', 'dead'].map((name) => join(directory, name)) as [string, string];
  const silent = { id: 'rules-1', authorize: () => new Promise<never>(() => undefined) };
  const before = await start([call('sum')], { store: { directory: living }, authorizer: silent });
  await expect.poll(() => before.view.pending?.why).toBe('authorizer');
  // The copy is the store that a kill would leave.
  await cp(living, dead, { recursive: true, filter: (path) => !path.endsWith('lock') });
  await open?.close();
  const { authorizer, asked } = rules(ALLOW);
  open = await openRuntime({ store: { directory: dead }, authorizer });
  const run = await open.resume(before.id, fromScript([done]));
  await run.run();
  const records = await finished(run);
  expect([codes(records), asked.length]).toEqual([['SUCCESS'], 1]);
  await open.close();
});
