import { expect, test } from 'vitest';
import { ServedTools } from '../../../workers/mcp/server/tools.ts';

test('a list of capabilities that could not be read is read again by the next call', async () => {
  let reads = 0;
  const list = () => (reads++ === 0 ? Promise.reject(new Error('The store is busy.')) : Promise.resolve([]));
  const tools = new ServedTools({ capabilities: { list } as never }, undefined);
  await expect(tools.list()).rejects.toThrow('The store is busy.');
  expect(await tools.list()).toEqual([]);
  expect(await tools.list()).toEqual([]);
  expect(reads).toBe(2);
});
