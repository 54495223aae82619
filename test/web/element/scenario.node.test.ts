import { afterEach, expect, test, vi } from 'vitest';
import { loadScenario } from '../../../web/element/scenario.ts';

afterEach(() => vi.unstubAllGlobals());

/** A page whose requests get this answer. */
function inPage(answer: () => Promise<Response>): void {
  vi.stubGlobal('document', { baseURI: 'https://site.example/page/' });
  vi.stubGlobal('location', { origin: 'https://site.example' });
  vi.stubGlobal('fetch', answer);
}

test('the members that a scenario may have are read, and no other', async () => {
  inPage(async () => Response.json({ task: 'Add.', script: [], other: 1 }));
  expect(await loadScenario('a.json')).toEqual({ task: 'Add.', script: [] });
});

test.each<readonly [string, string, () => Promise<Response>, RegExp]>([
  ['another origin', 'https://other.example/a.json', async () => new Response('{}'), /another origin, https:\/\/other/],
  ['a policy that forbids the request', 'a.json', () => Promise.reject(new TypeError('x')), /allow connect-src 'self'/],
  ['no file', 'a.json', async () => new Response('', { status: 404 }), /answered 404 for https:.*\/page\/a\.json\.$/],
  ['a file that is no JSON', 'a.json', async () => new Response('{'), /it is not JSON/],
  ['a list in the place of a text', 'a.json', async () => Response.json({ task: [] }), /wrong type/],
])('a scenario is refused for %s', async (_, src, answer, said) => {
  inPage(answer);
  await expect(loadScenario(src)).rejects.toMatchObject({
    code: 'scenario_invalid',
    message: expect.stringMatching(said) as unknown,
  });
});
