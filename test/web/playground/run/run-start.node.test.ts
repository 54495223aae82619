import { expect, test } from 'vitest';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { beginRun } from '../../../../web/playground/run/run-start.ts';
import type { ModelPort, Run, Runtime, StartOptions } from '../../../../workers/api.ts';

/** The opening that a run with this model begins with. */
function openingFor(window?: ModelPort['window']): StartOptions['opening'] {
  const started: StartOptions[] = [];
  const start = (options: StartOptions) => void started.push(options) as unknown as Run;
  const elsewhere = { id: 'm', ...(window && { window }) } as ModelPort;
  const choices = {
    scenario: { ...bakery('xct'), files: {}, symbols: [] },
    chosen: 'model',
    setup: {},
    elsewhere,
  } as const;
  beginRun({ start } as Runtime, choices);
  return started[0]?.opening;
}

test('the instructions of a run are as long as the window of its model has room for', () => {
  expect(openingFor()).toBe('full');
  expect(openingFor({ contextBytes: 4096 })).toBe('full');
  expect(openingFor({ contextBytes: 4095 })).toBe('names');
  expect(openingFor({ contextBytes: 1024 })).toBe('names');
  expect(openingFor({ contextBytes: 1023 })).toBe('none');
});
