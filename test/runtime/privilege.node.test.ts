import { afterEach, describe, expect, test } from 'vitest';
import { parseExport } from '../../core/ledger/export.ts';
import { type PastUse, usesInExport } from '../../core/privilege/history.ts';
import { proposeGrants } from '../../core/privilege/propose.ts';
import type { Runtime } from '../../workers/api.ts';
import { defineCodeTool, defineTool, type NodeOptions } from '../../workers/node.ts';
import { openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const PATH = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;
const tool = (name: string, effect: 'read' | 'write', more: object = {}) =>
  defineTool({ ...common, name, effect, labels: [], args: PATH, run: () => 'done', ...more });
const read = tool('files.read', 'read');
const write = tool('files.write', 'write');
const page = tool('web.get', 'read', { labels: ['untrusted'] });
const secret = tool('login', 'read', { secret: ['args'] });
const tools = [read, write, page, secret];
const code = defineCodeTool({ name: 'code', tools: [read, write] });
const reader = defineCodeTool({ name: 'reader', tools: [read, page] });

let open: Runtime | undefined;
afterEach(async () => open?.close());

type Call = readonly [name: string, args: Parameters<ReturnType<Runtime['openSession']>['call']>[1]];

/** The uses that a session's export tells, and the open runtime. */
async function used(calls: readonly Call[], more: NodeOptions = {}): Promise<readonly PastUse[]> {
  open = await openRuntime({
    tools,
    capabilities: [code, reader],
    grants: [
      ...tools.map(({ name }) => ({ capability: name, mode: 'allow' as const })),
      { capability: 'code', mode: 'allow' },
      { capability: 'reader', mode: 'allow' },
    ],
    ...more,
  });
  const session = open.openSession();
  for (const [name, args] of calls) await session.call(name, args);
  await session.close();
  return usesInExport(parseExport(await open.ledger.export(session.run.id, { secrets: true })));
}

const told = (uses: readonly PastUse[]) =>
  uses.map(({ step, ticket, name, args, end, asked, code: reason }) => [step, ticket, name, args, end, asked, reason]);

describe('the history of a run', () => {
  test('tells each call, its arguments, its labels and its end', async () => {
    let yes = true;
    const uses = await used(
      [
        ['files.read', { path: '/a' }],
        ['web.get', { path: 'https://a' }],
        ['files.write', { path: '/b' }],
        ['files.write', { path: '/c' }],
        ['nothing', {}],
      ],
      {
        approve: async () => {
          yes = !yes;
          return yes ? { approved: false, reason: 'no' } : { approved: true };
        },
      },
    );
    expect(told(uses)).toEqual([
      [1, undefined, 'files.read', { path: '/a' }, 'ran', undefined, undefined],
      [2, undefined, 'web.get', { path: 'https://a' }, 'ran', undefined, undefined],
      [3, undefined, 'files.write', { path: '/b' }, 'ran', 'untrusted', undefined],
      [4, undefined, 'files.write', { path: '/c' }, 'denied', 'untrusted', 'approval_denied'],
    ]);
    expect(uses.map(({ labels }) => labels)).toEqual([[], [], ['untrusted'], ['untrusted']]);
  });

  test('tells a call that the rules refuse, and one that nobody could answer', async () => {
    const uses = await used(
      [
        ['files.read', { path: '/a' }],
        ['files.write', { path: '/b' }],
      ],
      { grants: [{ capability: 'files.write', mode: 'ask' }] },
    );
    expect(told(uses)).toEqual([
      [1, undefined, 'files.read', { path: '/a' }, 'refused', undefined, 'no_grant'],
      [2, undefined, 'files.write', { path: '/b' }, 'refused', 'grant', 'approval_unavailable'],
    ]);
  });

  test('tells what a program used while it ran', async () => {
    const uses = await used([
      ['code', { program: `await tools.files.read({ path: '/a' }); return await tools.files.write({ path: '/b' });` }],
    ]);
    expect(told(uses).slice(1)).toEqual([
      [1, 1, 'files.read', { path: '/a' }, 'ran', undefined, undefined],
      [1, 2, 'files.write', { path: '/b' }, 'ran', undefined, undefined],
    ]);
  });

  test('tells what a program had read before it used a tool', async () => {
    const uses = await used([
      [
        'reader',
        { program: `await tools.web.get({ path: 'x' }); return await tools.files.read({ path: '/theirs' });` },
      ],
    ]);
    expect(uses.slice(1).map(({ name, labels }) => [name, labels])).toEqual([
      ['web.get', ['untrusted']],
      ['files.read', ['untrusted']],
    ]);
  });

  test('tells the arguments of what a person refused a program', async () => {
    const uses = await used(
      [
        [
          'code',
          {
            program: `const no = await tools.files.write({ path: '/no' }).catch(() => 0); await tools.files.read({ path: '/a' });
              await tools.files.write({ path: '/yes' });`,
          },
        ],
      ],
      {
        grants: [
          { capability: 'code', mode: 'allow' },
          { capability: 'files.read', mode: 'allow' },
          { capability: 'files.write', mode: 'ask' },
        ],
        approve: async ({ args }) =>
          JSON.stringify(args).includes('yes') ? { approved: true } : { approved: false, reason: 'no' },
      },
    );
    expect(
      told(uses)
        .slice(1)
        .map(([, ...rest]) => rest),
    ).toEqual([
      [1, 'files.write', { path: '/no' }, 'denied', 'grant', 'approval_denied'],
      [2, 'files.read', { path: '/a' }, 'ran', undefined, undefined],
      [3, 'files.write', { path: '/yes' }, 'ran', 'grant', undefined],
    ]);
  });

  test('says which arguments nothing may quote', async () => {
    const [use] = await used([['login', { path: 'pin' }]]);
    expect(use).toMatchObject({ end: 'ran', isSecret: true, args: { path: 'pin' } });
  });

  test('gives the values in the places of handles', async () => {
    const uses = await used(
      [
        ['web.get', { path: 'x' }],
        ['files.read', { path: { $held: 'h1' } }],
      ],
      { hold: 'untrusted' },
    );
    expect(uses[1]).toMatchObject({
      args: { path: { $held: 'h1' } },
      resolved: { path: 'done' },
      handles: [{ pointer: '/path', labels: ['untrusted'] }],
    });
  });

  test('a proposal of it is taken by a runtime, which then asks as the proposal says', async () => {
    const calls: readonly Call[] = [
      ['files.read', { path: '/home/u/a' }],
      ['files.read', { path: '/home/u/b' }],
      ['files.write', { path: '/home/u/c' }],
    ];
    const uses = await used(calls);
    const definitions =
      (await open?.capabilities.list())?.map(({ name, hash, effect }) => ({ name, hash, effect })) ?? [];
    const proposal = proposeGrants(uses, { definitions });
    if (!proposal.ok) throw new Error(proposal.refusal.message);
    expect(proposal.value.unused).toEqual(expect.arrayContaining(['code', 'login', 'web.get']));
    await open?.close();
    const grants = proposal.value.rules.map(({ capability, terms }) => ({ capability, ...terms }));
    const asked: string[] = [];
    const again = await used([['files.read', { path: '/home/v' }], ...calls], {
      grants,
      approve: async ({ capability }) => (asked.push(capability), { approved: true }),
    });
    expect(again.map(({ end, code: reason }) => reason ?? end)).toEqual(['grant_constraint', 'ran', 'ran', 'ran']);
    expect(asked).toEqual(['files.write']);
  });
});
