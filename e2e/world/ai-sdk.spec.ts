import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { binOf } from '../../.scripts/steps.mjs';
import { installPackage } from '../install.ts';
import { SMOKE } from '../tags.ts';

/** The versions of the SDK with their provider for OpenAI-compatible servers: specifications v2, v3 and v4. */
const GENERATIONS: { readonly [generation: string]: readonly string[] } = {
  5: ['ai@5.0.277', '@ai-sdk/openai-compatible@1.0.61', 'zod@4.6.7'],
  6: ['ai@6.0.324', '@ai-sdk/openai-compatible@2.0.91', 'zod@4.6.7'],
  7: ['ai@7.0.173', '@ai-sdk/openai-compatible@3.0.92', 'zod@4.6.7'],
};

let consumer: string;
const reasons = new Map<string, string>();
test.beforeAll(() => {
  consumer = installPackage();
});
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const folderOf = (generation: string) => join(consumer, `ai-${generation}`);

function install(generation: string, packages: readonly string[]): void {
  const home = folderOf(generation);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'];
  const { status, stderr } = spawnSync('npm', [...args, ...packages], {
    cwd: home,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) reasons.set(generation, `the packages cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`);
  else prepare(home);
}

function prepare(home: string): void {
  symlinkSync(join(consumer, 'node_modules/sallyport'), join(home, 'node_modules/sallyport'));
  mkdirSync(join(home, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(resolve('node_modules', name), join(home, 'node_modules', name));
  copyFileSync('e2e/world/ai-sdk-program.mjs', join(home, 'program.mjs'));
}

/** Runs a part of the program in a process of its own, and gives its result. */
function ran<T>(generation: string, part: string, args: readonly string[] = [], env: object = {}): T {
  const said = execFileSync(process.execPath, ['program.mjs', part, generation, ...args], {
    cwd: folderOf(generation),
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as T;
}

interface ModelRun {
  readonly codes: readonly string[];
}
interface LoopRun {
  readonly told: readonly string[];
}
interface UiPart {
  readonly type: string;
  readonly state?: string;
  readonly input?: object;
  readonly approval?: object;
}
interface UiMessage {
  readonly role: string;
  readonly parts: readonly UiPart[];
}
interface Asked {
  readonly run_id: string;
  readonly messages: readonly UiMessage[];
  readonly ran: readonly unknown[];
}

/** The messages as a page sends them after a person has said yes, with other arguments if given. */
function approved(messages: readonly UiMessage[], input?: object): readonly UiMessage[] {
  const answer = (part: UiPart) =>
    part.state === 'approval-requested'
      ? {
          ...part,
          state: 'approval-responded',
          approval: { ...part.approval, approved: true },
          ...(input && { input }),
        }
      : part;
  return messages.map((message) => ({ ...message, parts: message.parts.map(answer) }));
}

const REFUSALS = ['duplicate_member', 'arguments_schema', 'json_syntax', 'grant_denied'];

for (const [generation, packages] of Object.entries(GENERATIONS)) {
  test.describe(`AI SDK ${generation}`, () => {
    test.beforeAll(() => install(generation, packages));
    test.beforeEach(() => test.skip(reasons.has(generation), reasons.get(generation)));

    test('the types compile under strict and exactOptionalPropertyTypes', () => {
      const home = folderOf(generation);
      writeFileSync(join(home, 'types.ts'), typesOf(generation));
      const compilerOptions = {
        ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom', 'dom.iterable'], types: ['node'] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
      };
      writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
      const { status, stdout } = spawnSync(process.execPath, [binOf('typescript#tsc'), '-p', home], {
        encoding: 'utf8',
      });
      expect(stdout).toBe('');
      expect(status).toBe(0);
    });

    test('a model of the provider and of the mock proposes in each mode and dialect', () => {
      const results = ran<{ readonly [name: string]: ModelRun }>(generation, 'model');
      const { refused, mock, ...served } = results;
      const whole = { state: 'completed', message: 'It is 5.', usage: { input: 11, output: 7 }, texts: true };
      expect(mock).toMatchObject({ ...whole, codes: ['SUCCESS', 'SUCCESS'] });
      expect(Object.keys(served)).toHaveLength(4);
      for (const [name, result] of Object.entries(served)) {
        const isCalled = name.endsWith('tools');
        expect(result, name).toMatchObject({ ...whole, thoughts: expect.stringContaining('Let me think.') });
        expect(result.codes, name).toEqual([
          ...(isCalled ? ['duplicate_member', 'duplicate_member'] : []),
          ...['SUCCESS', 'SUCCESS'],
        ]);
        expect(result, name).toHaveProperty(['formats', '0'], isCalled ? 'mail_send' : 'proposal');
      }
      expect(refused).toMatchObject({
        ...{ state: 'failed', message: 'The endpoint answered with an error. (HTTP 400)' },
        said: expect.stringContaining('no more answers'),
      });
    });

    const details = generation === '7' ? SMOKE : {};
    test('the tools of a session are gated in each loop, before a repair of the SDK', details, () => {
      const results = ran<{ readonly [loop: string]: LoopRun }>(generation, 'tools');
      expect(Object.keys(results)).toEqual(['generateText', 'streamText', 'agent']);
      for (const [loop, result] of Object.entries(results)) {
        expect(result, loop).toMatchObject({
          ...{ text: 'Over.', ok: true, receipts: 7, ran: [3, 'sent Hi.'], asked: ['{"text":"Hi."}'] },
          // The SDK is asked about the name alone, and behind the gate.
          ...{ repairs: ['subtract'] },
          codes: [
            ...['SUCCESS', 'duplicate_member', 'arguments_schema'],
            ...['unknown_capability', 'json_syntax', 'grant_denied', 'SUCCESS'],
          ],
        });
        expect(result.told, loop).toHaveLength(7);
        expect(result.told, loop).toEqual(expect.arrayContaining(['3', 'sent Hi.']));
        for (const code of REFUSALS) expect(result.told.join('\n'), loop).toContain(`"code":"${code}"`);
      }
    });

    // Version 5 has no approval of its own.
    if (generation === '5') return;
    test('an approval spans two requests and two processes, and holds for the exact call', () => {
      const ledger = join(folderOf(generation), 'ledger');
      const { run_id, messages, ran: before } = ran<Asked>(generation, 'ask', [ledger]);
      expect(before).toEqual([3]);
      const requests = [approved(messages, { text: 'Bye.' }), approved(messages), approved(messages)];
      const after = ran<{ readonly results: readonly (readonly string[])[] }>(generation, 'answer', [ledger, run_id], {
        REQUESTS: JSON.stringify(requests),
      });
      const [changed, exact, again] = after.results.map((told) => told.at(-1));
      expect(changed).toContain('for another call');
      expect(exact).toBe('sent Hi.');
      expect(again).toContain('was used before');
      expect(after).toMatchObject({
        ...{ ok: true, ran: ['sent Hi.'] },
        codes: ['approval_deferred', 'SUCCESS', 'approval_denied', 'SUCCESS', 'approval_denied'],
      });
    });
  });
}

test('the versions that the tests run are the versions that the repository has and the page names', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly devDependencies: { readonly [name: string]: string };
  };
  expect(GENERATIONS[7]).toContain(`ai@${devDependencies['ai']}`);
  const page = readFileSync('web/docs/ai-sdk.md', 'utf8');
  for (const generation of Object.keys(GENERATIONS)) expect(page).toContain(`| \`ai\` ${generation} |`);
});

/** A program with every form in which the SDK takes the tools and the model. */
function typesOf(generation: string): string {
  const approval = generation === '7' ? 'toolApproval, ' : '';
  const agent = generation === '5' ? 'Experimental_Agent' : 'ToolLoopAgent';
  return `
    import { ${agent} as Agent, generateText, jsonSchema, streamText, tool, wrapLanguageModel } from 'ai';
    import type { LanguageModelMiddleware, ToolSet } from 'ai';
    import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
    import { fromLanguageModel, toolsFor } from 'sallyport/ai';
    import type { ModelPort, Session } from 'sallyport/node';

    const inner = createOpenAICompatible({ name: 'local', baseURL: 'http://localhost:1/v1' })('m');
    export const port: ModelPort = fromLanguageModel(inner, { origin: 'local', mode: 'json', providerOptions: {} });
    export async function answer(session: Session): Promise<readonly unknown[]> {
      const { tools, middleware, toolApproval, receipts } = await toolsFor(session, { tool, jsonSchema }, { refusals: 'result' });
      const [ours, theirs]: [ToolSet, LanguageModelMiddleware] = [tools, middleware];
      const model = wrapLanguageModel({ model: inner, middleware: theirs });
      const own = tool({ description: 'x', inputSchema: jsonSchema<{ n: number }>({}), execute: async ({ n }) => n });
      const { toolResults } = await generateText({ model, tools, ${approval}prompt: 'Go.' });
      const { text } = streamText({ model, tools: { ...tools, own }, ${approval}prompt: 'Go.' });
      const agent = new Agent({ model, tools, ${approval}});
      // @ts-expect-error a tool is not a number
      const wrong: number = tools['mail_send'];
      const hash: string | undefined = receipts.get(toolResults[0]?.toolCallId ?? '')?.hash;
      return [hash, ours, wrong, await text, toolApproval, await agent.generate({ prompt: 'Go.' })];
    }
    // @ts-expect-error the place of the data is needed
    fromLanguageModel(inner, {});
    // @ts-expect-error the id of a gateway is no model
    fromLanguageModel('openai/gpt-5', { origin: 'local' });
  `;
}
