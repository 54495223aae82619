import { expect, it, onTestFinished } from 'vitest';
import { commandWay } from '../../../../../workers/bridges/mcp/client/stdio.ts';
import { Secrets } from '../../../../../workers/bridges/models/secrets.ts';

const MEGABYTE = 1 << 20;

it('replies to a server that reads none are dropped beyond the bound of a message', async () => {
  const command = { command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'] };
  const parts = { refused: () => undefined, notify: () => undefined, secrets: new Secrets(), numbers: undefined };
  const transport = commandWay(command, parts).open(() => undefined);
  await transport.start();
  onTestFinished(() => transport.close());
  const reply = { jsonrpc: '2.0', id: 'x'.repeat(MEGABYTE), result: {} } as const;
  const kept = Array.from({ length: 17 }, () => transport.send(reply));
  for (const each of kept) each.catch(() => undefined);
  await expect(transport.send(reply)).rejects.toThrow('does not read');
});
