import { createLogger, createServer } from 'vite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../folder.ts';

test('a development server with an empty cache finds the packages of the page, and logs no error', async () => {
  const said: string[] = [];
  const logger = { ...createLogger('silent'), warn: hear, warnOnce: hear, error: hear };
  function hear(text: string): void {
    said.push(text);
  }
  const server = await createServer({
    cacheDir: temporaryFolder(),
    customLogger: logger,
    server: { middlewareMode: true, hmr: false, watch: null },
  });
  const { depsOptimizer } = server.environments.client;
  await server.pluginContainer.buildStart({});
  await depsOptimizer?.init();
  await depsOptimizer?.scanProcessing;
  const found = Object.keys(depsOptimizer?.metadata.discovered ?? {});
  await server.close();
  expect(said).toEqual([]);
  expect(found).toContain('lit');
  expect(found).toContain('@preact/signals-core');
});
