import { expect, test } from 'vitest';
import { modelIn, openProposer } from '../../../../web/playground/run/proposer.ts';
import type { ModelPort } from '../../../../workers/api.ts';

const elsewhere = { id: 'openai-compatible:https://models.example/tiny, script or person: 1b' } as ModelPort;

test.each([{}, { scenario: 'shop' }, { origin: 'a sent run' }, { scenario: 'mail', origin: 'https://a.example; b' }])(
  'the model of a run is told from the record that names it: %j',
  (options) => {
    const { port } = openProposer({ script: [], chosen: 'model', elsewhere, ...options });
    expect(modelIn(port.id)).toBe(elsewhere.id);
  },
);

test('another program names its model alone', () => expect(modelIn('counted')).toBe('counted'));
