// A server of the Model Context Protocol with one tool, by the official SDK over its own transport.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'sums', version: '1.0.0' });
const numbers = z.object({ a: z.number(), b: z.number() });
server.registerTool(
  'add',
  { description: 'Adds two numbers.', inputSchema: numbers, annotations: { readOnlyHint: true } },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
);
await server.connect(new StdioServerTransport());
