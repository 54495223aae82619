import { expect, test } from 'vitest';
import { loadPart } from '../../workers/load-part.ts';

test('a part that does not load is part_unloaded, with the reason of the browser and what to do', async () => {
  const gone = loadPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: a.js')));
  await expect(gone).rejects.toMatchObject({
    name: 'SallyportError',
    code: 'part_unloaded',
    message: expect.stringMatching(/^Failed to fetch .*a\.js\. Reload the page: .*keep the files of the last build/),
  });
  expect(await loadPart(async () => 1)).toBe(1);
});
