// A relay of the official SDK: a client and a server of it in one process, without a gate, records or a schema check.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [command = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'relay', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
const server = new Server({ name: 'relay', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => client.listTools());
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
await server.connect(new StdioServerTransport());
