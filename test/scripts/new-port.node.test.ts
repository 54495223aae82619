import { createServer, type Server } from 'node:http';
import { expect, test } from 'vitest';
import { listenAtNewPort } from '../../e2e/new-port.ts';

/** A server that the system gives these ports, one after the other. */
function serverAt(...ports: readonly number[]): Server {
  const left = [...ports];
  return Object.assign(createServer(), {
    listen: (_port: number, _host: string, listening: () => void) => listening(),
    address: () => ({ port: left[0] }),
    close: (closed: () => void) => {
      left.shift();
      closed();
    },
  }) as unknown as Server;
}

test('a page of a test gets no port of an earlier page, whose origin may still have data', async () => {
  expect(await listenAtNewPort(serverAt(5))).toBe(5);
  expect(await listenAtNewPort(serverAt(5, 5, 6))).toBe(6);
});
