// A server written by hand: its tools are those of the file TOOLS at each moment, and it writes each call into CALLS.
// INSTRUCTIONS: its text for models. ANSWERS: a file with answers by the names of tools. STUBBORN: it ignores SIGTERM and the end of its input. WAIT: the call `wait` is never answered.
import { appendFileSync, readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

const { TOOLS = '', CALLS = '', ANSWERS: WRITTEN, INSTRUCTIONS, STUBBORN } = process.env;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tools = () => JSON.parse(readFileSync(TOOLS, 'utf8'));

const ANSWERS = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    serverInfo: { name: 'scripted', version: '1.0.0' },
    ...(INSTRUCTIONS !== undefined && { instructions: INSTRUCTIONS }),
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools() }),
  'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'any' }] }),
  'resources/read': (params) => {
    appendFileSync(CALLS, `${JSON.stringify(params)}\n`);
    return { contents: [{ uri: params.uri, mimeType: 'text/plain', text: `of ${params.uri}` }] };
  },
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] }),
  'prompts/get': (params) => {
    appendFileSync(CALLS, `${JSON.stringify(params)}\n`);
    return { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${params.arguments?.who}.` } }] };
  },
  'tools/call': ({ name, arguments: args, _meta: { progressToken } = {} }) => {
    if (name === 'work')
      for (const progress of [1, 2])
        say({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `${progress} done` },
        });
    appendFileSync(CALLS, `${JSON.stringify({ name, args })}\n`);
    if (name === 'wait') return undefined;
    if (WRITTEN !== undefined) return JSON.parse(readFileSync(WRITTEN, 'utf8'))[name];
    return { content: [{ type: 'text', text: `${name} done` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
  if (answer === undefined) return say({ id, error: { code: -32601, message: 'Method not found' } });
  const result = answer(params);
  // progress and an answer at once would be read in any order
  if (params?.name === 'work') setTimeout(() => say({ id, result }), 50);
  else if (result !== undefined) say({ id, result });
});
appendFileSync(CALLS, `${JSON.stringify({ started: process.pid })}\n`);
watchFile(TOOLS, { interval: 100, persistent: false }, () => say({ method: 'notifications/tools/list_changed' }));
if (STUBBORN !== undefined) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
