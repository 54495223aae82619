import { expect, test } from 'vitest';
import { modelIdOf } from '../../../../web/playground/endpoint/endpoint.ts';
import { fromOpenAI } from '../../../../workers/bridges/models/openai.ts';

test('a price is set under the name that records give to the model', () => {
  const form = { baseUrl: 'https://models.example:8443/v1', model: 'tiny:1b' };
  expect(modelIdOf(form)).toBe(fromOpenAI(form).id);
});

test.each([
  { baseUrl: '', model: 'tiny' },
  { baseUrl: 'https://models.example/v1', model: '' },
])('a model that is not named whole has no price: %j', (form) => expect(modelIdOf(form)).toBeUndefined());
