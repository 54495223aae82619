// A server that answers as its argument says: `raw` is the text of an answer by its method, with "@id" for the id.
import { createInterface } from 'node:readline';

const { raw = {}, tools } = JSON.parse(process.argv[2] ?? '{}');
const say = (text) => process.stdout.write(`${text}\n`);
const RESULTS = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'manners', version: '1.0.0' },
  },
  'tools/list': { tools: tools ?? [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const text = raw[method];
  if (text !== undefined) return say(text.replaceAll('"@id"', JSON.stringify(id)));
  const result = RESULTS[method];
  const error = { code: -32601, message: 'Method not found' };
  say(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
});
