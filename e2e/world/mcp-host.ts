import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Host } from '../../test/workers/bridges/mcp/gateway/host.ts';

/** The host of a program that speaks MCP over its standard streams. `said`: its lines on standard error so far. */
export function hostOf(child: ChildProcessWithoutNullStreams): { readonly host: Host; readonly said: () => string } {
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const host = new Host({
    write: (line) => void child.stdin.write(line),
    onData: (listener) => void child.stdout.on('data', (chunk) => listener(String(chunk))),
  });
  return { host, said: () => said };
}
