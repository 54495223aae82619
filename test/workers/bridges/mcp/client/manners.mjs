// A server that answers as its argument says, which is JSON or the name of a file with JSON: `raw` is the text of an
// answer by its method, or a list of texts, with "@id" for the id; `noise` and `stderr` are lines that it begins with;
// `onNotification` are lines by the notification that they follow.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , given = '{}'] = process.argv;
const {
  raw = {},
  tools = [{ name: 'echo', inputSchema: { type: 'object' } }],
  result = { content: [{ type: 'text', text: 'done' }] },
  protocol = '2025-06-18',
  eol = '\n',
  noise = [],
  stderr = [],
  onNotification = {},
} = JSON.parse(given.startsWith('{') ? given : readFileSync(given, 'utf8'));
const say = (text) => process.stdout.write(`${text}${eol}`);
const RESULTS = {
  initialize: {
    protocolVersion: protocol,
    capabilities: { tools: {} },
    serverInfo: { name: 'manners', version: '1.0.0' },
  },
  'tools/list': { tools },
  'tools/call': result,
};

for (const line of noise) say(line);
for (const line of stderr) process.stderr.write(`${line}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return (onNotification[method] ?? []).forEach(say);
  const text = raw[method];
  if (text !== undefined) {
    const own = (each) =>
      each.replaceAll('"@id"', JSON.stringify(id)).replaceAll('"@idtext"', JSON.stringify(String(id)));
    return [text].flat().map(own).forEach(say);
  }
  const found = RESULTS[method];
  const error = { code: -32601, message: 'Method not found' };
  say(JSON.stringify({ jsonrpc: '2.0', id, ...(found === undefined ? { error } : { result: found }) }));
});
