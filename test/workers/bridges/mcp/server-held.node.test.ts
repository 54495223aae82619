import { afterEach, describe, expect, test } from 'vitest';
import type { ApprovalAnswer, Runtime } from '../../../../workers/api.ts';
import { deferred } from '../../../../workers/async.ts';
import type { McpServing } from '../../../../workers/bridges/mcp/server/options.ts';
import { defineTool } from '../../../../workers/node.ts';
import { codeOf, connected, ERAS, permitted, ran, readingTools, runtimeOf, TOOLS, textOf } from './server-shared.ts';

let runtime: Runtime;
let serving: McpServing;
afterEach(async () => {
  await serving.close();
  await runtime.close();
});

const mail = defineTool({
  name: 'mail.search',
  version: '1.0.0',
  description: 'For a test.',
  effect: 'read',
  held: true,
  args: {},
  run: () => 'secret',
});
const apart = defineTool({
  name: 'apart',
  version: '1.0.0',
  description: 'Of a source that no held value reaches.',
  effect: 'pure',
  origin: 'mcp:apart',
  args: {},
  run: () => 5,
});
const GRANTS = ['mail.search', 'note.post', 'apart', 'slow'].map((capability) => ({
  capability,
  mode: 'allow' as const,
}));
const FORWARD = { name: 'note_post', arguments: { text: { $held: 'h1' } } };
const FIND = { name: 'mail_search', arguments: {} };
const YES: ApprovalAnswer = { approved: true };

describe.each(ERAS)('a host of $era behind which results are held', (era) => {
  async function opened({ approve, pendingMs }: { approve?: () => Promise<ApprovalAnswer>; pendingMs?: number } = {}) {
    const shown: string[] = [];
    runtime = await runtimeOf({ tools: [...TOOLS, mail, apart], grants: GRANTS, ...(approve && { approve }) });
    const asked = pendingMs === undefined ? ({ message }: { message: string }) => (shown.push(message), {}) : undefined;
    const made = await connected(runtime, era, asked, pendingMs === undefined ? {} : { pendingMs });
    serving = made.serving;
    await expect.poll(async () => textOf(await made.client.callTool(FIND))).toBe('{"$held":"h1"}');
    return { client: made.client, pipe: made.pipe, shown };
  }

  test('is not asked about values that it does not read', async () => {
    const { client, pipe, shown } = await opened();
    expect(textOf(await client.callTool(FORWARD))).toBe('{"$held":"h2"}');
    expect([ran, shown]).toEqual([[], []]);
    expect(pipe.lines.join()).not.toContain('secret');
  });

  test('hears of no record whose number or hash follows from what was held', async () => {
    const { client } = await opened({ approve: async () => YES });
    await client.callTool(FORWARD);
    const { _meta, content } = await client.callTool({ name: 'apart', arguments: {} });
    expect(textOf({ content })).toContain('5');
    expect(Object.keys(_meta?.['sallyport/receipt'] as object).sort()).toEqual(['run_id', 'step_id']);
  });

  test('is told the same while a person is asked and while the call takes its time', async () => {
    const { client } = await opened({ pendingMs: 20, approve: () => new Promise(() => undefined) });
    expect(codeOf(await client.callTool(FORWARD))).toBe('approval_pending');
    await serving.close();
    await runtime.close();
    const { client: other } = await opened({ pendingMs: 20 });
    expect(codeOf(await other.callTool({ name: 'slow', arguments: {} }))).toBe('approval_pending');
  });

  test('has its next call wait while a person is asked, with the handles of its session', async () => {
    const said = deferred<ApprovalAnswer>();
    const asked = deferred<void>();
    const { client } = await opened({ approve: () => (asked.resolve(), said.promise) });
    const first = client.callTool(FORWARD);
    await asked.promise;
    const second = client.callTool({ name: 'note_post', arguments: { text: { $held: 'h1' } } });
    said.resolve(YES);
    expect([textOf(await first), textOf(await second)]).toEqual(['{"$held":"h2"}', '{"$held":"h3"}']);
    expect(await runtime.runs()).toHaveLength(1);
  });

  test('is told that resources and prompts of another server cannot be held, and reads nothing of them', async () => {
    const { tools, grants = [] } = permitted(readingTools('one', { prompts: [{ name: 'greet' }] }));
    const held = grants.map((each) =>
      /read$|get$/.test(each.capability ?? '') ? { ...each, held: true as const } : each,
    );
    runtime = await runtimeOf({ tools: tools ?? [], grants: held });
    const made = await connected(runtime, era);
    serving = made.serving;
    for (const answer of [made.client.readResource({ uri: 'one://a' }), made.client.getPrompt({ name: 'one_greet' })])
      await expect(answer).rejects.toMatchObject({ data: { code: 'hold_unsupported' } });
    expect(ran.filter((name) => !name.endsWith('list')).sort()).toEqual(['one.prompts.get', 'one.resources.read']);
    expect(made.pipe.lines.join()).not.toContain('of one');
  });
});
