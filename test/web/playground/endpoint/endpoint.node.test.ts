import { expect, test } from 'vitest';
import { keptOf, modelIdOf } from '../../../../web/playground/endpoint/endpoint.ts';
import { fromOpenAI } from '../../../../workers/bridges/models/openai.ts';

test('a price is set under the name that records give to the model', () => {
  const form = { baseUrl: 'https://models.example:8443/v1', model: 'tiny:1b' };
  expect(modelIdOf(form)).toBe(fromOpenAI(form).id);
});

test.each([
  { baseUrl: '', model: 'tiny' },
  { baseUrl: 'https://models.example/v1', model: '' },
])('a model that is not named whole has no price: %j', (form) => expect(modelIdOf(form)).toBeUndefined());

test.each([
  ['the key of a header', 'https://models.example/v1', 'sk-secret', true],
  ['a query', 'https://models.example/v1?key=sk-secret', '', true],
  ['a name and a password', 'https://me:sk-secret@models.example/v1', '', true],
  ['nothing that may be a key', 'https://models.example/v1', '', false],
])('a device keeps no key: %s', (_, baseUrl, apiKey, isKeyed) => {
  const kept = keptOf({ baseUrl, model: 'tiny', native: false, server: undefined, apiKey });
  expect(kept).toMatchObject({ baseUrl: 'https://models.example/v1', isKeyed });
  expect(JSON.stringify(kept)).not.toContain('secret');
});
