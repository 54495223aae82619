import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { defineCapability, openRuntime } from '../../../web/index.ts';
import { fromWebMcp, provideWebMcp, type WebMcpOptions, type WebMcpSource } from '../../../web/webmcp.ts';
import type { Runtime } from '../../../workers/api.ts';
import type { WebMcpContext } from '../../../workers/bridges/web-mcp/context.ts';
import { addTool, CONTEXTS, type PageTool, toolsIn } from './contexts.ts';

const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const FIND: PageTool = { name: 'find', description: 'Finds \u202eproducts.', inputSchema: query };
const add = defineCapability({
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds.',
  effect: 'pure',
  args: { type: 'object', properties: {}, additionalProperties: false },
  source: 'export default () => 1;',
});

describe.each(CONTEXTS)('tools of a document, from %s', (_, open) => {
  let context: WebMcpContext;
  let closeContext: () => void;
  const closes: (() => unknown)[] = [];

  beforeAll(() => {
    ({ context, close: closeContext } = open());
  });
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });
  afterAll(() => closeContext());

  const register = async (tool: PageTool, execute?: (input: never) => unknown): Promise<void> => {
    closes.push(await addTool(context, tool, execute));
  };
  async function sourced(options: WebMcpOptions = {}): Promise<WebMcpSource> {
    const source = await fromWebMcp({ context, ...options });
    closes.push(() => source.close());
    return source;
  }
  /** The value of a tool of the page. */
  async function valueOf(execute: () => unknown): Promise<unknown> {
    const remove = await addTool(context, { name: 'say' }, execute);
    const [tool] = await (await sourced()).list();
    const io = { signal: new AbortController().signal, step_id: 'step' };
    return Promise.resolve(tool?.run({} as never, io)).finally(remove);
  }

  test('a tool is untrusted egress unless the program says otherwise, and its texts are visible', async () => {
    await register({ ...FIND, annotations: { readOnlyHint: true } });
    const [strict] = await (await sourced()).list();
    expect(strict).toMatchObject({
      name: 'page.find',
      description: 'Finds \\u202eproducts.',
      effect: 'egress',
      labels: ['private', 'untrusted'],
      origin: `webmcp:${location.origin}`,
    });
    const trusted = await sourced({ prefix: 'shop', effect: 'read', labels: () => [], timeoutMs: 50 });
    expect(await trusted.list()).toMatchObject([{ name: 'shop.find', effect: 'read', labels: [], timeoutMs: 50 }]);
  });

  test('text of an object is read as JSON, and other results stay as the browser hands them on', async () => {
    expect(await valueOf(() => ({ a: [1] }))).toEqual({ a: [1] });
    expect(await valueOf(() => 'tea, {not} JSON')).toBe('tea, {not} JSON');
    expect(await valueOf(() => '{"a":')).toBe('{"a":');
    expect(await valueOf(() => 3)).toBe('3');
  });

  test('a result that says that it is an error, and a tool that throws, are failures', async () => {
    const failed = valueOf(() => ({ isError: true, content: [{ type: 'text', text: 'Sold out.' }] }));
    await expect(failed).rejects.toMatchObject({ name: 'webmcp_tool_error', message: 'Sold out.' });
    const silent = valueOf(() => ({ isError: true }));
    await expect(silent).rejects.toMatchObject({ name: 'webmcp_tool_error', message: /does not say why/ });
    const thrown = valueOf(() => {
      throw new TypeError('A fault of the page.');
    });
    await expect(thrown).rejects.toMatchObject({ name: 'UnknownError' });
  });

  test('a tool whose schema cannot be taken is told, and the others are taken', async () => {
    await register(FIND);
    await register({
      name: 'odd',
      inputSchema: { type: 'object', properties: { a: { $ref: 'https://a.example/s' } } },
    });
    const source = await sourced();
    expect((await source.list()).map(({ name }) => name)).toEqual(['page.find']);
    expect(source.refused).toMatchObject([{ name: 'odd' }]);
  });

  test("the form of arguments is found out without a call of the page's tools, and no tool is left", async () => {
    const given: unknown[] = [];
    await register(FIND, (input) => given.push(input));
    await Promise.all([sourced(), sourced()]);
    expect(given).toEqual([]);
    expect((await toolsIn(context)).map(({ name }) => name)).toEqual(['find']);
  });

  describe('in a runtime', () => {
    let runtime: Runtime;
    const given: unknown[] = [];
    const asked: unknown[] = [];
    const pages: (() => void)[] = [];
    const reason = new Error('stopped');
    const abort = new AbortController();
    let source: WebMcpSource;

    const hang = (): Promise<never> => {
      abort.abort(reason);
      return new Promise(() => undefined);
    };

    beforeAll(async () => {
      pages.push(
        await addTool(context, FIND, (input) => (given.push(input), { found: ['tea'] })),
        await addTool(context, { name: 'buy' }),
        await addTool(context, { name: 'hang' }, hang),
      );
      source = await fromWebMcp({ context, effect: ({ name }) => (name === 'hang' ? 'read' : 'egress') });
      runtime = await openRuntime({
        store: 'memory',
        capabilities: [add],
        tools: [source],
        grants: [
          { capability: 'page.find', mode: 'allow', where: { properties: { query: { pattern: '^t' } } } },
          { capability: 'page.buy', mode: 'ask' },
          { capability: 'page.hang', mode: 'allow' },
        ],
        approve: async ({ capability, origin }) => (
          asked.push([capability, origin]), { approved: false, reason: 'No.' }
        ),
      });
    });
    afterAll(async () => {
      await runtime.close();
      for (const remove of pages) remove();
    });

    test('arguments of another form, and arguments outside of the grant, never reach the page', async () => {
      const session = runtime.openSession();
      for (const args of [{ query: 1 }, { query: 'tea', more: 1 }, {}])
        expect(await session.call('page.find', args)).toMatchObject({
          ok: false,
          refusal: { code: 'arguments_schema' },
        });
      const outside = await session.call('page.find', { query: 'coffee' });
      expect(outside).toMatchObject({ ok: false, refusal: { class: 'authorization' } });
      expect(given).toEqual([]);
    });

    test('a call under a grant is carried out by the page, and its result is data with labels', async () => {
      const called = await runtime.openSession().call('page.find', { query: 'tea' });
      expect(called).toMatchObject({ ok: true, value: { found: ['tea'] }, labels: ['private', 'untrusted'] });
      expect(given).toEqual([{ query: 'tea' }]);
    });

    test('a question about a call names the page as the place', async () => {
      await runtime.openSession().call('page.buy', {});
      expect(asked).toEqual([['page.buy', `webmcp:${location.origin}`]]);
    });

    test('the abort of a call ends the wait for a tool that never answers', async () => {
      const call = runtime.openSession().call('page.hang', {}, { signal: abort.signal });
      await expect(call).rejects.toBe(reason);
    });

    test('a tool that was imported is not exported again, and an exported tool is not imported', async () => {
      const session = runtime.openSession();
      const tools = await provideWebMcp(session, { context });
      closes.push(tools.close);
      expect((await toolsIn(context)).map(({ name }) => name)).toEqual(['buy', 'find', 'hang', 'math_add']);
      expect((await source.list()).map(({ name }) => name)).toEqual(['page.buy', 'page.find', 'page.hang']);
      const again = provideWebMcp(session, { context, names: ['page.find'] });
      await expect(again).rejects.toMatchObject({ code: 'option_invalid' });
    });

    test('a tool that comes, changes or goes is followed, and a changed tool has no grant', async () => {
      const tools = async () => (await runtime.openSession().tools()).map(({ name }) => name).sort();
      pages[1]?.();
      await register({ name: 'later' });
      await expect.poll(tools).toEqual(['math.add', 'page.find', 'page.hang', 'page.later']);
      const decision = async () => (await runtime.openSession().preview('page.find', { query: 'tea' })).decision;
      expect(await decision()).toBe('AUTHORIZED');
      pages[0]?.();
      await register({ ...FIND, description: 'Buys products.' });
      await expect.poll(decision).toBe('DENIED_POLICY_VIOLATION');
    });
  });
});

describe('a context that gives a page no tools', () => {
  const context = Object.assign(new EventTarget(), { registerTool: async () => undefined }) as never as WebMcpContext;

  test('is told with its reason', async () => {
    const refused = { code: 'mcp_unavailable', details: { origin: `webmcp:${location.origin}` } };
    await expect(fromWebMcp({ context })).rejects.toMatchObject(refused);
  });

  test('and a wrong option are refused', async () => {
    await expect(fromWebMcp({ context: {} as never })).rejects.toMatchObject({ code: 'option_invalid' });
    await expect(fromWebMcp({ prefixes: 'a' } as never)).rejects.toMatchObject({ code: 'option_invalid' });
  });
});
