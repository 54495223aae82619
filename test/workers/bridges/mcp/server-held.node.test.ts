import { afterEach, describe, expect, test } from 'vitest';
import { HANDLES } from '../../../../core/run/observe.ts';
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
const GRANTS = ['mail.search', 'note.post', 'apart', 'slow', 'math.add'].map((capability) => ({
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

  test('reads handles of resources and prompts of another server', async () => {
    const { tools, grants = [] } = permitted(readingTools('one', { prompts: [{ name: 'greet' }] }));
    const held = grants.map((each) =>
      /read$|get$/.test(each.capability ?? '') ? { ...each, held: true as const } : each,
    );
    runtime = await runtimeOf({ tools: tools ?? [], grants: held });
    const made = await connected(runtime, era);
    serving = made.serving;
    const { contents, _meta } = await made.client.readResource({ uri: 'one://a' });
    expect(contents).toEqual([{ uri: 'one://a', text: '{"$held":"h1"}' }]);
    expect(Object.keys(_meta ?? {})).not.toContain('sallyport/labels');
    const { messages } = await made.client.getPrompt({ name: 'one_greet' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: '{"$held":"h2"}' } }]);
    expect(ran.filter((name) => !name.endsWith('list'))).toEqual(['one.resources.read', 'one.prompts.get']);
    expect(made.pipe.lines.join()).not.toContain('of one');
  });

  test('reads no record of a run that holds, and not how many there are', async () => {
    const { client } = await opened();
    const [{ run_id } = { run_id: '' }] = await runtime.runs();
    for (const part of ['', '/export', `/receipts/${run_id}`]) {
      const read = client.readResource({ uri: `sallyport://runs/${run_id}${part}` });
      await expect(read).rejects.toMatchObject({ data: { code: 'hold_unsupported' } });
    }
    const { contents } = await client.readResource({ uri: 'sallyport://runs' });
    const [row] = JSON.parse((contents[0] as { text: string }).text) as object[];
    expect(Object.keys(row ?? {}).sort()).toEqual(['run_id', 'uri']);
  });

  test('is listed no schema of a result, and a handle at each place of the arguments', async () => {
    const { client } = await opened();
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    const add = tools.find(({ name }) => name === 'math_add');
    expect(add?.description).toBe('For a test.\n\nResult: { readonly sum: number }');
    const handle = { $ref: '#/$defs/handle' };
    expect(add?.inputSchema.properties).toEqual({
      a: { anyOf: [{ type: 'number' }, handle] },
      b: { anyOf: [{ type: 'number' }, handle] },
    });
    expect(tools.find(({ name }) => name === 'slow')?.inputSchema).not.toHaveProperty('$defs');
    expect(tools.find(({ name }) => name === 'held_read')?.description).toContain(HANDLES);
    expect(client.getInstructions()).toBe(HANDLES);
    const { structuredContent } = await client.callTool({ name: 'math_add', arguments: { a: 1, b: 2 } });
    expect(structuredContent).toEqual({ sum: 3 });
  });

  test('hears a handle where nobody can be asked', async () => {
    const { client, shown } = await opened();
    expect(textOf(await client.callTool(FORWARD))).toBe('{"$held":"h2"}');
    expect([ran, shown]).toEqual([[], []]);
    const [{ run_id } = { run_id: '' }] = await runtime.runs();
    const found = await runtime.held.open(run_id, 'h2');
    expect(found).toMatchObject({ value: { outcome: { ok: false, refusal: { code: 'approval_unavailable' } } } });
  });

  test('reads a held value where a person permits it, and is shown nothing of it before', async () => {
    const read = { name: 'held_read', arguments: { handle: { $held: 'h1' } } };
    const { client, pipe, shown } = await opened();
    expect(codeOf(await client.callTool(read))).toBe('approval_unavailable');
    expect([shown, pipe.lines.join().includes('secret')]).toEqual([[], false]);
    await serving.close();
    await runtime.close();
    const { client: other } = await opened({ approve: async () => YES });
    const { content, _meta } = await other.callTool(read);
    expect(textOf({ content })).toBe('{"value":"secret"}');
    expect(_meta?.['sallyport/labels']).toEqual(['private', 'untrusted']);
  });

  test('gives nothing for a handle of another connection', async () => {
    await opened();
    const other = await connected(runtime, era);
    expect(codeOf(await other.client.callTool(FORWARD))).toBe('held_unknown');
    await other.serving.close();
  });

  /** A server whose answers and lists no label holds, until it is given a held value. */
  async function telling(said?: Promise<ApprovalAnswer>) {
    const asked = deferred<void>();
    let known = 'nothing';
    const of = (name: string, run: (args: never) => unknown, args: object = {}) => {
      const own = { version: '1.0.0', description: 'For a test.', effect: 'read', origin: 'mcp:one' } as const;
      return defineTool({ ...own, name: `one.${name}`, labels: [], args, run } as never);
    };
    const own = [
      of('put', ({ text }: { text: string }) => (known = text), { properties: { text: { type: 'string' } } }),
      of('get', () => known),
      of('resources.list', () => ({ resources: [{ uri: 'one://a', name: known }], templates: [] })),
      of('resources.read', () => ({ contents: [] })),
      of('prompts.list', () => ({ prompts: [{ name: known }] })),
      of('prompts.get', () => ({ messages: [] })),
    ];
    const allowed = [mail, ...own].map(({ name }) => ({ capability: name, mode: 'allow' as const }));
    const grants = allowed.map((each) => (said && each.capability === 'one.get' ? { ...each, mode: 'ask' } : each));
    const approve = said && (() => (asked.resolve(), said));
    runtime = await runtimeOf({ tools: [mail, ...own], grants: grants as never, ...(approve && { approve }) });
    const made = await connected(runtime, era, undefined, { approve: 'runtime' });
    serving = made.serving;
    return { ...made, asked: asked.promise };
  }
  const PUT = { name: 'one_put', arguments: { text: { $held: 'h1' } } };

  test('keeps the lists of a server that was given a held value', async () => {
    const { client, pipe } = await telling();
    const lists = async () => [
      (await client.listResources()).resources.map(({ name }) => name).filter((name) => !name.startsWith('run')),
      (await client.listPrompts()).prompts.map(({ name }) => name),
    ];
    expect(await lists()).toEqual([['nothing'], ['one_nothing']]);
    expect(await lists()).toEqual([['nothing'], ['one_nothing']]);
    await client.callTool(FIND);
    expect(textOf(await client.callTool(PUT))).toBe('{"$held":"h2"}');
    expect(await lists()).toEqual([['nothing'], ['one_nothing']]);
    expect(pipe.lines.join()).not.toContain('secret');
  });

  test('is told of a call that a person is asked about before later ones hand over what is held', async () => {
    const said = deferred<ApprovalAnswer>();
    const { client, pipe, asked } = await telling(said.promise);
    const first = client.callTool({ name: 'one_get', arguments: {} });
    await asked;
    const all = [client.callTool(FIND), client.callTool({ ...PUT, arguments: { text: { $held: 'h2' } } })];
    await new Promise((resolve) => setTimeout(resolve, 50));
    said.resolve(YES);
    expect(textOf(await first)).toBe('nothing');
    expect((await Promise.all(all)).map(textOf)).toEqual(['{"$held":"h2"}', '{"$held":"h3"}']);
    expect(pipe.lines.join()).not.toContain('secret');
    expect(await runtime.runs()).toHaveLength(1);
  });

  test('sends data that looks like a handle where nothing is held', async () => {
    runtime = await runtimeOf();
    const made = await connected(runtime, era);
    serving = made.serving;
    await made.client.callTool({ name: 'open', arguments: { text: { $held: 'h1' } } });
    expect(ran).toEqual(['open {"text":{"$held":"h1"}}']);
    const { tools } = await made.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['math_add', 'note_post', 'open', 'slow']);
    expect(tools.find(({ name }) => name === 'math_add')?.outputSchema).toBeDefined();
    expect(made.client.getInstructions()).toBeUndefined();
  });
});
