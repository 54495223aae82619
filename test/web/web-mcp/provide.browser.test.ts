import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { defineCapability, openRuntime } from '../../../web/index.ts';
import { type ProvideWebMcpOptions, provideWebMcp } from '../../../web/webmcp.ts';
import type { Runtime, Session } from '../../../workers/api.ts';
import type { WebMcpContext } from '../../../workers/bridges/web-mcp/context.ts';
import { addTool, CONTEXTS, callAsAgent, toolsIn } from './contexts.ts';

const number = { type: 'number' } as const;
const pair = {
  type: 'object',
  properties: { a: number, b: number },
  required: ['a', 'b'],
  additionalProperties: false,
} as const;
const common = { version: '1.0.0', description: 'For a test.', effect: 'pure', args: pair } as const;
const CAPABILITIES = [
  defineCapability({ ...common, name: 'math.add', source: 'export default ({ a, b }) => ({ sum: a + b });' }),
  defineCapability({ ...common, name: 'math.sub', source: 'export default ({ a, b }) => a - b;' }),
  defineCapability({ ...common, name: 'math.div', source: 'export default ({ a, b }) => a / b;' }),
];

interface AgentResult {
  readonly isError?: true;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly _meta: { readonly 'sallyport/receipt': { readonly run_id: string; readonly run_seq: number } };
}

describe.each(CONTEXTS)('tools of a session in %s', (where, open) => {
  let context: WebMcpContext;
  let closeContext: () => void;
  let runtime: Runtime;
  let session: Session;
  const asked: unknown[] = [];
  const closes: (() => void)[] = [];

  beforeAll(async () => {
    ({ context, close: closeContext } = open());
    runtime = await openRuntime({
      store: 'memory',
      capabilities: CAPABILITIES,
      grants: [
        { capability: 'math.add', mode: 'allow' },
        { capability: 'math.div', mode: 'ask' },
      ],
      approve: async ({ capability, args }) => (asked.push([capability, args]), { approved: false, reason: 'No.' }),
    });
    session = runtime.openSession({ label: 'webmcp' });
  });
  afterEach(() => {
    for (const close of closes.splice(0)) close();
  });
  afterAll(async () => {
    await runtime.close();
    closeContext();
  });

  async function provided(options: ProvideWebMcpOptions = {}, of: Session = session) {
    const tools = await provideWebMcp(of, { context, ...options });
    closes.push(tools.close);
    return tools;
  }
  const names = async () => (await toolsIn(context)).map(({ name }) => name);
  const call = async (name: string, input: object) => (await callAsAgent(context, name, input)) as AgentResult;

  test('a tool has the name, the description and the schema of its capability', async () => {
    const { names: spelled } = await provided();
    expect(spelled.ours('math_add')).toBe('math.add');
    expect(await names()).toEqual(['math_add', 'math_div', 'math_sub']);
    const { title, description, inputSchema } = (await toolsIn(context))[0] ?? ({} as never);
    expect({ title, description, inputSchema }).toEqual({
      title: 'math.add',
      description: 'For a test.',
      inputSchema: pair,
    });
  });

  test('a call of an agent is carried out, and its result names its receipt in the ledger', async () => {
    await provided();
    const result = await call('math_add', { a: 1, b: 2 });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } });
    const { run_id, run_seq } = result._meta['sallyport/receipt'];
    const records = await runtime.ledger.records(run_id);
    expect(records[run_seq]).toMatchObject({ kind: 'receipt', body: { receipt: { status: 'SUCCESS' } } });
  });

  test.each([
    ['a wrong type', { a: '1', b: 2 }, 'arguments_schema'],
    ['an unknown member', { a: 1, b: 2, c: 3 }, 'arguments_schema'],
    ['a missing member', { a: 1 }, 'arguments_schema'],
  ])('%s is refused, which the same tool without a gate runs with', async (_title, input, code) => {
    await provided({ names: ['math.add'] });
    const seen: unknown[] = [];
    closes.push(await addTool(context, { name: 'bare', inputSchema: pair }, (given) => (seen.push(given), {})));
    await call('bare', input);
    expect(seen).toEqual([input]);
    const { isError, content, _meta } = await call('math_add', input);
    expect(isError).toBe(true);
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ status: 'error', details: { code } });
    const { run_id, run_seq } = _meta['sallyport/receipt'];
    const records = await runtime.ledger.records(run_id);
    expect(records[run_seq]).toMatchObject({ kind: 'receipt', body: { receipt: { status: 'FAILURE' } } });
  });

  test('a call without a grant is refused, and a person decides the call that asks', async () => {
    await provided();
    expect((await call('math_sub', { a: 1, b: 2 })).content[0]?.text).toContain('no_grant');
    expect((await call('math_div', { a: 1, b: 2 })).content[0]?.text).toContain('approval_denied');
    expect(asked).toEqual([['math.div', '{"a":1,"b":2}']]);
  });

  test('a call whose agent gives up is aborted where the browser says so, and goes on to its receipt elsewhere', async () => {
    let answer: (no: { approved: false; reason: string }) => void = () => undefined;
    const approve = () => new Promise<{ approved: false; reason: string }>((resolve) => (answer = resolve));
    const own = runtime.openSession({ label: 'webmcp', approve });
    await provided({ names: ['math.div'] }, own);
    const [tool] = await toolsIn(context);
    const input = where === 'the browser' ? { a: 1, b: 2 } : '{"a":1,"b":2}';
    const abort = new AbortController();
    const ended = context.executeTool?.(tool as never, input as never, { signal: abort.signal });
    ended?.catch(() => undefined);
    for await (const { kind, body } of own.run.records()) {
      if (kind === 'approval' && body.event === 'asked') abort.abort();
      if (kind === 'approval' && body.event === 'asked' && where !== 'the browser')
        answer({ approved: false, reason: '' });
      if (kind !== 'receipt') continue;
      const code = where === 'the browser' ? 'call_aborted' : 'approval_denied';
      expect(body.evidence.reason?.code).toBe(code);
      break;
    }
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    await own.close();
  });

  test('close and a signal take the tools away', async () => {
    const abort = new AbortController();
    await provided({ names: ['math.add'], signal: abort.signal });
    const { close } = await provided({ names: ['math.sub'] });
    close();
    expect(await names()).toEqual(['math_add']);
    abort.abort();
    expect(await names()).toEqual([]);
    await provided({ signal: AbortSignal.abort() }).catch(() => undefined);
    expect(await names()).toEqual([]);
  });

  test('a name that the page has taken rejects, and no tool is left', async () => {
    closes.push(await addTool(context, { name: 'math_div' }));
    await expect(provided()).rejects.toMatchObject({ name: 'InvalidStateError' });
    expect(await names()).toEqual(['math_div']);
  });

  test('a session that has ended answers with its code', async () => {
    const ended = runtime.openSession({ label: 'webmcp' });
    await provided({ names: ['math.add'] }, ended);
    await call('math_add', { a: 1, b: 2 });
    await ended.close();
    const { isError, content } = await call('math_add', { a: 1, b: 2 });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('run_sealed');
  });

  test('an unknown name and an unknown option are refused', async () => {
    for (const options of [{ names: ['math.mul'] }, { name: 'math.add' } as never])
      await expect(provided(options)).rejects.toMatchObject({ code: 'option_invalid' });
  });
});

test('a document without a context is told', async () => {
  const without = provideWebMcp({} as never, { context: {} as never });
  await expect(without).rejects.toMatchObject({ code: 'option_invalid', message: /model context of a document/ });
});
