import { afterEach, describe, expect, test } from 'vitest';
import type { Bodies, JsonObject } from '../../../core/index.ts';
import type { GrantOption, Run, Runtime } from '../../../workers/api.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { rewrite } from '../../core/replay/rewrite.ts';
import { expectReplayed, replayed } from '../replayed.ts';
import { openRuntime } from '../shared.ts';
import { execute, message, name, put, read } from './messages.ts';

const TEXT = '# A\none\n# B\ntwo\n';
const terms = { version: '1.0.0', description: 'For a test.', args: { type: 'object' } } as const;
/** Expands each reference and searches each word that its arguments name; returns each answer or error name. */
const LOOK = defineCapability({
  ...terms,
  name: 'look',
  effect: 'read',
  labels: [],
  powers: ['sections.expand', 'sections.search'],
  source: `export default async ({ asks = [], words = [] }, { sections }) => {
    const named = (error) => error.name;
    const said = [];
    for (const [ref, slice] of asks) said.push(await sections.expand(ref, slice).catch(named));
    for (const word of words) said.push(await sections.search(word, 5).then(({ matches }) => matches, named));
    return said;
  }`,
} as never);

let open: Runtime | undefined;
afterEach(() => open?.close());

async function runtimeWith(...grants: readonly GrantOption[]): Promise<Runtime> {
  open = await openRuntime({ capabilities: [LOOK], grants: [{ capability: 'look', mode: 'allow' }, ...grants] });
  await put(open, { 'a.md': TEXT });
  await name(open, '@x/a', 'SECTION', 'a.md#["A"]');
  await name(open, '@x/b', 'SECTION', 'a.md#["B"]');
  return open;
}

const allow = (more: object = {}): GrantOption => ({ capability: 'content.read', mode: 'allow', ...more });
const target = (symbol: string) => ({ properties: { target: { const: symbol } } });
const looks = (args: JsonObject) => ({ next_step: { tool: 'look', arguments: args, goal: 'look' } });
const A = ['@x/a', 'head(1)'];
const B = ['@x/b', 'head(1)'];

async function receiptsOf(runtime: Runtime, run: Run): Promise<readonly Bodies['receipt'][]> {
  await run.result;
  await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
  return (await runtime.ledger.records(run.id)).flatMap(({ kind, body }) => (kind === 'receipt' ? [body] : []));
}

/** The evidence of one call for each of these arguments, in one run. */
async function tried(runtime: Runtime, ...all: readonly JsonObject[]) {
  const model = fromScript([...all.map(looks), { done: true, message: '' }]);
  const receipts = await receiptsOf(runtime, runtime.start({ dialect: 'xct', task: 'Look.', model }));
  return receipts
    .slice(0, all.length)
    .map(({ receipt, evidence }) => ({ ...evidence, code: evidence.reason?.code, given: receipt.expanded.length }));
}

describe('a capability that reads content', () => {
  test('a capability that reads content needs a grant for a READ, even if it catches the refusal', async () => {
    const [one] = await tried(await runtimeWith(), { asks: [A] });
    expect(one).toMatchObject({ code: 'no_grant', reason: { class: 'authorization' }, given: 0 });
    expect(one?.powers).toMatchObject([{ ticket: 1, power: 'sections.expand', decision: 'DENIED_POLICY_VIOLATION' }]);
  });

  test.each([
    ['target', target('@x/a'), A, B],
    ['path', { properties: { path: { const: 'a.md' } } }, A, ['@x/c', 'head(1)']],
    ['slice', { properties: { slice: { const: 'head(1)' } } }, A, ['@x/a', 'head(2)']],
  ])('a capability that reads content is held to the %s that the grant accepts', async (_what, where, good, bad) => {
    const runtime = await runtimeWith(allow({ where }));
    await runtime.content.add([{ path: 'c.md', bytes: new TextEncoder().encode('# C\n') }]);
    await name(runtime, '@x/c', 'FILE', 'c.md');
    const [first, second] = await tried(runtime, { asks: [good] }, { asks: [good, bad] });
    expect(first).toMatchObject({ code: undefined, given: 1, powers: [{ decision: 'AUTHORIZED' }] });
    expect(second).toMatchObject({ code: 'grant_constraint', given: 1 });
    expect(second?.powers?.map(({ decision }) => decision)).toEqual(['AUTHORIZED', 'DENIED_ARGUMENT_INVALID']);
  });

  test('an expansion by a capability counts as a use of the grant, as a READ does', async () => {
    const runtime = await runtimeWith(allow({ uses: 2 }));
    const ops = [read('@x/a', { slice: 'head(1)' }), execute('@TOOLS/look', { args: { asks: [B] } })];
    const model = fromScript([message(ops), message([execute('@TOOLS/look', { args: { asks: [A] } })]), message([])]);
    const run = runtime.start({ dialect: 'catalytic', task: 'Look.', model });
    const codes = (await receiptsOf(runtime, run)).map(({ evidence }) => evidence.reason?.code);
    expect(codes).toEqual([undefined, 'grant_used_up', undefined]);
  });

  test('an expansion under a grant that asks is refused, and no question is put to a person', async () => {
    const runtime = await runtimeWith({ capability: 'content.read', mode: 'ask' });
    expect(await tried(runtime, { asks: [A] })).toMatchObject([{ code: 'read_unasked', given: 0 }]);
  });

  test('a capability that reads content is stopped by a denial and by a disabled READ', async () => {
    const denied = await runtimeWith(allow(), { capability: 'content.read', mode: 'deny', where: target('@x/b') });
    expect(await tried(denied, { asks: [A] }, { asks: [B] })).toMatchObject([{ given: 1 }, { code: 'grant_denied' }]);
    await denied.close();
    const disabled = await runtimeWith(allow());
    await disabled.capabilities.disable('content.read');
    expect(await tried(disabled, { asks: [A] })).toMatchObject([{ code: 'capability_disabled' }]);
  });

  test('a capability searches content only under a grant without a constraint', async () => {
    const narrow = await runtimeWith(allow({ where: target('@x/a') }));
    expect(await tried(narrow, { words: ['two'] })).toMatchObject([{ code: 'grant_constraint' }]);
    await narrow.close();
    const [free] = await tried(await runtimeWith(allow()), { words: ['two'] });
    expect(free).toMatchObject({ code: undefined, powers: [{ power: 'sections.search', decision: 'AUTHORIZED' }] });
  });

  test('the decisions check finds a receipt that records a read without permission', async () => {
    const runtime = await runtimeWith(allow({ where: target('@x/a') }));
    const model = fromScript([looks({ asks: [A] }), { done: true, message: '' }]);
    const run = runtime.start({ dialect: 'xct', task: 'Look.', model });
    await run.result;
    const text = await runtime.ledger.export(run.id);
    const forged = (change: (powers: readonly JsonObject[]) => readonly JsonObject[]) =>
      rewrite(text, ({ kind, body }) => {
        const evidence = body['evidence'] as JsonObject | undefined;
        if (kind !== 'receipt' || evidence?.['powers'] === undefined) return body;
        return { ...body, evidence: { ...evidence, powers: change(evidence['powers'] as readonly JsonObject[]) } };
      });
    const failed = async (jsonl: string) =>
      (await replayed(jsonl)).checks.flatMap(({ id, status }) => (status === 'fail' ? [id] : []));
    expect(await failed(forged((powers) => powers))).toEqual([]);
    expect(await failed(forged((powers) => powers.map((each) => ({ ...each, grant: 'f'.repeat(64) }))))).toEqual([
      'decisions',
    ]);
    expect(await failed(forged((powers) => powers.map((each) => ({ ...each, ticket: 2 }))))).toEqual(['decisions']);
  });
});

describe('a refusal of a read by a capability', () => {
  test.each([
    ['a slice beyond the end', ['@x/a', 'lines[0:999]'], 'slice_bounds'],
    ['a symbol that is not there', ['@x/nope', 'head(1)'], 'symbol_unknown'],
    ['more than its budget', ['@x/big', 'head(1)'], 'budget_bytes'],
  ])('a refusal counts for the guard like content, before the guest reads it: %s', async (_what, ask, code) => {
    const sent: unknown[] = [];
    const mail = definePower({ ...terms, name: 'mail.send', effect: 'egress', run: (said) => sent.push(said) });
    const spy = defineCapability({
      ...terms,
      name: 'spy',
      effect: 'egress',
      labels: [],
      powers: ['sections.expand', 'mail.send'],
      source: `export default async ({ ask }, { sections, mail }) => {
        const said = await sections.expand(...ask).catch((error) => error.name + error.message);
        return [said, await mail.send({ said }).catch((error) => error.name)];
      }`,
    } as never);
    open = await openRuntime({
      capabilities: [spy],
      powers: [mail],
      grants: [{ capability: 'spy', mode: 'allow' }, { power: 'mail.send', mode: 'allow' }, allow()],
      approve: async () => ({ approved: false, reason: 'no' }),
    });
    await put(open, { 'a.md': TEXT, 'big.md': `${'x'.repeat(12_345)}\n` });
    await name(open, '@x/a', 'SECTION', 'a.md#["A"]');
    await name(open, '@x/big', 'FILE', 'big.md');
    const call = { next_step: { tool: 'spy', arguments: { ask }, goal: 'spy' } };
    const run = open.start({ dialect: 'xct', task: 'Spy.', model: fromScript([call, { done: true, message: '' }]) });
    const [receipt] = await receiptsOf(open, run);
    expect(receipt?.evidence.labels).toEqual(['private', 'untrusted']);
    expect(receipt?.evidence.reason?.code).toBe(code);
    const calls = await open.ledger.payload(run.id, receipt?.evidence.power_calls?.sha256 ?? '');
    expect(new TextDecoder().decode(calls)).toContain(code);
    expect(sent).toEqual([]);
  });
});
