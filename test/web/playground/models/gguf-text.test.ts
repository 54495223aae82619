import { expect, test } from 'vitest';
import { ModelError } from '../../../../core/index.ts';
import { troubleText } from '../../../../web/playground/models/gguf-text.ts';

const failure = (details: ConstructorParameters<typeof ModelError>[2]): ModelError =>
  new ModelError('It failed.', { retryable: false }, details);

test.each([
  [failure({ fault: 'not_gguf' }), 'no model in the GGUF format'],
  [failure({ fault: 'cut', used: 200_000, limit: 279_808 }), 'it has 200 KB of 280 KB'],
  [failure({ fault: 'cut', used: 60 }), 'it ends after 60 bytes, inside its head'],
  [failure({ fault: 'too_large', used: 5e9, limit: 2 ** 32 }), 'needs 5 GB of memory, and 4.3 GB is the limit'],
  [failure({ fault: 'no_memory' }), 'Close other tabs'],
  [failure({ fault: 'no_memory64' }), '64-bit memories'],
  [failure({ fault: 'not_loaded' }), 'does not know this model'],
  [new Error('The disk is full.'), 'The disk is full.'],
])('%s is told with its remedy', (error, text) => {
  expect(troubleText(error)).toContain(text);
});
