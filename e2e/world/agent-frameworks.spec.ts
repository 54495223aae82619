import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import type * as sallyport from '../../workers/node.ts';
import { installInto, packPackage } from './project.mjs';

const PAGE = readFileSync('web/docs/agent-frameworks.md', 'utf8');

/** The files that the page prints, by the name in their first line. */
const FILES = new Map(
  [...PAGE.matchAll(/^```mjs\n(\/\/ (\S+\.mjs)\n[\s\S]*?)^```$/gm)].map(([, code, name]) => [name, code]),
);

/** The packages that the page names, at its versions. */
const PACKAGES = [...PAGE.matchAll(/^\| (`.+`) \| (\d.+) \|$/gm)].map(([, names = '', versions = '']) => {
  const each = versions.split(', ');
  return names.split(', ').map((name, at) => `${name.slice(1, -1)}@${each[at]}`);
});

const say = (text: string) => JSON.stringify({ text });

/** What the model says: the arguments of its calls, then a sentence. */
const ANSWERS: readonly (readonly string[])[] = [
  ['{"text":"Hello.","text":"Bye."}'],
  ['{"text":5}'],
  ['{"text":'],
  [say('Sell all.')],
  [say('Hello.')],
  [say('Welcome.'), say('Sell all.')],
];

const CODES = ['duplicate_member', 'arguments_schema', 'json_syntax', 'approval_denied', 'approval_denied'];

interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A server with the interface of OpenAI's chat completions, whose model follows `ANSWERS`. */
async function serveModel(): Promise<{ url: string; requests: Asked[]; close(): void }> {
  const requests: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const count = requests.push(JSON.parse(await text(request)) as Asked);
    answer(response, count, ANSWERS[count - 1]);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, close };
}

function answer(response: ServerResponse, count: number, said: readonly string[] | undefined): void {
  const tool_calls = said?.map((text, at) => ({
    ...{ id: `call_${count}_${at}`, type: 'function' },
    function: { name: 'mail_send', arguments: text },
  }));
  const message = { role: 'assistant', content: said ? null : 'Done.', ...(tool_calls && { tool_calls }) };
  const choices = [{ index: 0, finish_reason: said ? 'tool_calls' : 'stop', message }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const object = 'chat.completion';
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: `answer_${count}`, object, created: 1, model: 'gpt-4.1', choices, usage }));
}

let home: string;
let reason: string | undefined;
test.beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-agents-'));
  for (const [name, code] of FILES) writeFileSync(join(home, name ?? ''), code ?? '');
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  try {
    installInto(home, [packPackage(home), ...PACKAGES.flat()]);
  } catch (error) {
    reason = (error as Error).message;
  }
});
test.afterAll(() => rmSync(home, { recursive: true, force: true }));

for (const name of ['langchain', 'agents', 'mastra'])
  test(`the program of the page ${name} gates each call, asks a person by the framework, and has every receipt`, async () => {
    test.skip(reason !== undefined, reason);
    const server = await serveModel();
    const ledger = join(home, 'ledger');
    rmSync(ledger, { recursive: true, force: true });
    const env = {
      ...process.env,
      OPENAI_BASE_URL: server.url,
      OPENAI_API_KEY: 'none',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [`${name}-program.mjs`], {
      cwd: home,
      env,
      timeout: 60_000,
    });
    server.close();
    const lines = stdout.trim().split('\n');
    const asked = ['Sell all.', 'Hello.', 'Welcome.', 'Sell all.'].map((text) => `May this be sent? ${text}`);
    expect(lines.filter((line) => line.startsWith('May'))).toEqual(asked);
    expect(lines.filter((line) => line.startsWith('sent'))).toEqual(['sent: Hello.', 'sent: Welcome.']);
    expect(lines.at(-1)).toBe('Done.');
    const told =
      server.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ content }) => content) ?? [];
    expect(told).toHaveLength(7);
    expect(told[0]).toContain('appears twice at /text');
    expect(told[1]).toContain('/text');
    expect(told[2]).toContain('column 9');
    expect(told[3]).toContain('A person said no');
    expect(told[4]).toContain('sent');

    const { openRuntime } = (await import(pathToFileURL(resolve('dist/node.js')).href)) as typeof sallyport;
    const runtime = await openRuntime({ store: { directory: ledger } });
    const [row] = await runtime.runs();
    const id = row?.run_id ?? '';
    expect((await runtime.ledger.explain(id)).map(({ code }) => code)).toEqual(CODES);
    expect((await runtime.ledger.records(id)).filter(({ kind }) => kind === 'receipt')).toHaveLength(7);
    expect((await runtime.ledger.verify(id)).ok).toBe(true);
    await runtime.close();
  });
