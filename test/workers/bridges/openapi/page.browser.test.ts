import { expect, test } from 'vitest';
import { fromOpenApi } from '../../../../workers/openapi.ts';

const responses = { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'This page', version: '1.0.0' },
  paths: {
    '/{file}': {
      parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'read', responses },
      put: {
        operationId: 'write',
        responses,
        parameters: [{ name: 'theme', in: 'cookie', required: true, schema: {} }],
      },
    },
  },
};

test('a page calls an operation of its own server, and no argument leaves its part of the path', async () => {
  const made = fromOpenApi(JSON.stringify(DOCUMENT), {
    prefix: 'page',
    baseUrl: location.origin,
    headers: () => ({ 'x-key': 'a-key-of-the-page' }),
  });
  if (!made.ok) throw new Error(made.refusal.message);
  // the browser would take the cookie away without a word
  expect(made.value.refused.map(({ operation, refusal }) => [operation?.id, refusal.details['reason']])).toEqual([
    ['write', 'a page sends no cookie of a call: the browser takes it away'],
  ]);
  const [tool] = await made.value.list();
  const call = (file: string): unknown =>
    tool?.run({ path: { file } } as never, { signal: new AbortController().signal, step_id: 'step' });
  expect(await call('package.json')).toMatchObject({ status: 200, body: { name: 'sallyport' } });
  await expect(call('..')).rejects.toMatchObject({ name: 'argument_refused' });
  await expect(call('core/limits.ts')).rejects.toMatchObject({
    name: expect.stringMatching(/^(?:http_error|answer_)/),
  });
});
