import { describe, expect, test } from 'vitest';
import { define } from '../../../core/capability/define.ts';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { makeRegistry } from '../../../core/capability/registry.ts';
import { CONTENT_CAPABILITIES } from '../../../core/content/built-in.ts';
import { contentHash } from '../../../core/content/text.ts';
import type { StagedFile } from '../../../core/content/write.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { proposalSchema } from '../../../core/run/opening.ts';
import { initialState, type RunFacts } from '../../../core/run/state.ts';
import { VALIDATORS } from '../../../core/schema/validators.generated.js';
import { indexed } from '../content/files.ts';
import { checker } from '../schemas.ts';
import { must } from '../validator.ts';
import { bytes, facts as plain, settledOk } from './facts.ts';
import { acknowledge, begun, bodies, type Outside, propose, reply, send, settle, told } from './outside.ts';

const FILE = indexed('a.md', '# A\none\n# B\ntwo\n');
const ROW = { symbol_id: '@x/a', target_type: 'FILE', target_ref: 'a.md', default_slice_policy: 'head(1)' } as const;
const SEND: JsonObject = { name: 'send', version: '1.0.0', description: '', effect: 'egress', args: {}, source: '' };
const ASKED: JsonObject = { ...SEND, name: 'asked', effect: 'pure' };

/** A Catalytic run with both operations, a call that sends data out, and a call that needs the approval of a person. */
function facts(): RunFacts {
  const all = [...CONTENT_CAPABILITIES, must(define(SEND)), must(define(ASKED))];
  const grants = all.map(({ hash, manifest: { name } }) =>
    makeGrant({ name, hash }, { mode: name === 'asked' ? 'ask' : 'allow' }),
  );
  const policy = makePolicy(
    all.map(({ hash }) => hash),
    grants,
    false,
  );
  const any = new Map(all.map(({ schemas }) => [schemas.args, () => []] as const));
  return {
    ...plain(),
    dialect: 'catalytic',
    registry: must(makeRegistry(all)),
    policy,
    precompiled: new Map([...any, ...VALIDATORS]),
  };
}

const READ = { type: 'READ', target: '@x/a', params: { output: 'o' } };
const WRITE = { type: 'WRITE', target: '@x/a', params: { content: 'new\n', expected_hash: FILE.content_hash } };
const call = (name: string) => ({ type: 'EXECUTE', target: `@TOOLS/${name}`, params: { args: {} } });

function work(...ops: readonly { readonly target: string }[]): Uint8Array {
  const budgets = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 10_000, max_expands_per_step: 3 };
  const refs = [...new Set(ops.map(({ target }) => target))];
  return bytes({ intent: 'work', refs, ops, budgets, required_outputs: [] });
}

function begin(...ops: readonly { readonly target: string }[]): Outside {
  const world = begun(facts());
  propose(world, work(...ops));
  if (world.waiting.has('resolve')) resolve(world);
  return world;
}

function resolve(world: Outside): void {
  reply(world, 'resolve', ({ step }) => ({
    type: 'resolved',
    step,
    found: new Map([['@x/a', { row: ROW, file: FILE }]]),
  }));
}

function load(world: Outside, file = FILE): void {
  reply(world, 'load', ({ step }) => ({ type: 'loaded', step, file, rows: [ROW] }));
}

const last = (world: Outside) => bodies(world, 'receipt').at(-1);

test('proposalSchema accepts messages of all operations and refuses malformed messages', () => {
  const check = checker(proposalSchema(initialState(facts())));
  const message = (...ops: readonly { readonly target: string }[]) =>
    JSON.parse(new TextDecoder().decode(work(...ops)));
  for (const fits of [message(READ, WRITE, call('send')), message()]) expect([fits, check(fits)]).toEqual([fits, []]);
  const unfit = [
    message({ ...READ, type: 'DELETE' } as never),
    message({ ...WRITE, params: {} } as never),
    message(call('content.read')),
    message(...Array.from({ length: 101 }, () => READ)),
  ];
  for (const value of unfit) expect([value, check(value).length > 0]).toEqual([value, true]);
});

describe('a message', () => {
  test('a message has a single verdict, a decision for each operation, and a single receipt', () => {
    const world = begin(READ, WRITE);
    load(world);
    load(world);
    acknowledge(world);
    expect(world.records.slice(2).map(({ kind }) => kind)).toEqual([
      'proposal',
      'verdict',
      'decision',
      'decision',
      'content',
      'observation',
      'receipt',
    ]);
    const [verdict] = bodies(world, 'verdict').slice(-1);
    expect(verdict?.operations?.map(({ type, capability }) => [type, capability])).toEqual([
      ['READ', 'content.read'],
      ['WRITE', 'content.write'],
    ]);
    expect(last(world)?.receipt).toMatchObject({ status: 'SUCCESS', outputs: { o: { sha256: contentHash('# A\n') } } });
    expect(world.state.expandedBytes).toBe(4);
  });

  test('the intent of a sending call is recorded before it starts, and later intents are not recorded yet', () => {
    const world = begin(READ, call('send'));
    load(world);
    expect(world.executed).toEqual([]);
    acknowledge(world);
    expect(bodies(world, 'intent').length).toBe(1);
    settle(world, settledOk('sent'));
    acknowledge(world);
    expect(last(world)?.receipt.actions.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(told(world)).toMatchObject({
      status: 'success',
      result: { operations: [{ text: '# A\n' }, { result: 'sent' }] },
    });
  });

  test('a message hands its content over with the records, and fails as changed when another writer was faster', () => {
    const world = begin(WRITE);
    load(world);
    const append = world.waiting.get('append') as { content?: readonly StagedFile[] };
    expect(append.content?.map(({ after }) => after.text)).toEqual(['new\n']);
    world.waiting.delete('append');
    const outdated: RunEvent = { type: 'outdated', path: 'a.md' };
    send(world, outdated);
    expect((world.waiting.get('append') as { content?: unknown }).content).toBeUndefined();
    acknowledge(world);
    expect(bodies(world, 'content')).toEqual([]);
    expect(last(world)).toMatchObject({
      receipt: { status: 'FAILURE', actions: [{ type: 'WRITE', status: 'FAILURE' }] },
      evidence: { reason: { code: 'content_changed' } },
    });
    expect(send(world, outdated)).toEqual([]);
  });

  test.each(['written', 'outdated'])(
    'a revocation during the write of a content is recorded behind the receipt: %s',
    (how) => {
      const world = begin(WRITE);
      load(world);
      const before = world.state.policy;
      const capabilities = [...before.enabled];
      expect(send(world, { type: 'revoked', grants: [], capabilities })).toEqual([]);
      expect(world.state.policy).toBe(before);
      if (how === 'outdated') {
        world.waiting.delete('append');
        send(world, { type: 'outdated', path: 'a.md' });
      }
      acknowledge(world);
      expect(world.records.slice(-2).map(({ kind }) => kind)).toEqual(['receipt', 'revocation']);
      expect(last(world)?.evidence.policy_hash).toBe(before.hash);
      expect([...world.state.policy.enabled]).toEqual([]);
    },
  );

  test('a message that is stopped records its attempted operations, and the interrupted call as a failure', () => {
    const world = begin(READ, call('send'), WRITE);
    load(world);
    acknowledge(world);
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(world);
    const { receipt, evidence } = last(world) ?? {};
    expect(receipt?.actions.map(({ type, status }) => [type, status])).toEqual([
      ['READ', 'SUCCESS'],
      ['EXECUTE', 'FAILURE'],
    ]);
    expect([receipt?.status, evidence?.reason?.code, receipt?.expanded.length]).toEqual(['FAILURE', 'call_aborted', 1]);
  });

  test.each(['resolve', 'check', 'load'] as const)('a message that awaits an answer can be stopped: %s', (waiting) => {
    const world = begun(waiting === 'check' ? { ...facts(), precompiled: new Map() } : facts());
    propose(world, work(READ));
    if (waiting !== 'resolve') resolve(world);
    expect(world.waiting.has(waiting)).toBe(true);
    // The revocation is written meanwhile, with the step as far as it has come.
    const grants = world.state.policy.grants.map(({ id }) => id).slice(-1);
    send(world, { type: 'revoked', grants, capabilities: [] });
    send(world, { type: 'stop', ending: { state: 'aborted' } });
    acknowledge(world);
    expect(world.state.at.phase).toBe('SHUTDOWN');
    expect(last(world)?.receipt.status).toBe('FAILURE');
  });

  // Thousands of operations overflowed the stack, which ended the run as if its ledger were lost, without a receipt.
  test('a message of 100 operations is decided, and a message of 101 is refused, each with its receipt', () => {
    const sends = Array.from({ length: 100 }, () => call('send'));
    const world = begin(...sends);
    acknowledge(world);
    expect(bodies(world, 'decision').length).toBe(100);
    settle(world, settledOk(1));
    for (const _ of sends.slice(1)) {
      acknowledge(world);
      settle(world, settledOk(1));
    }
    acknowledge(world);
    expect(last(world)?.receipt).toMatchObject({ status: 'SUCCESS', actions: { length: 100 } });
    propose(world, work(...sends, call('send')));
    acknowledge(world);
    expect(last(world)?.evidence.reason?.code).toBe('limit_operations');
  });

  test('a message ignores content that comes for another step', () => {
    const world = begun(facts());
    propose(world, work(READ));
    expect(send(world, { type: 'resolved', step: 7, found: new Map() })).toEqual([]);
    resolve(world);
    expect(send(world, { type: 'resolved', step: 1, found: new Map() })).toEqual([]);
    expect(send(world, { type: 'loaded', step: 7, rows: [] })).toEqual([]);
    load(world);
    acknowledge(world);
    expect(last(world)?.receipt.status).toBe('SUCCESS');
  });
});
