import { expect, test } from 'vitest';
import { whatWasRefused } from '../../../../web/playground/lab/stop-place.ts';
import { told } from '../../../../web/playground/lab/trial.ts';
import { openWorkshop } from '../../../../web/playground/workshop/workshop.ts';
import { createSandbox } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const codeOf = ({ tried }: ReturnType<typeof openWorkshop>): (string | undefined)[] =>
  tried.value.map(({ trial }) => trial?.receipt.body.evidence.reason?.code);

test('a try of a source that does not load clears the verdict on the source before it', async () => {
  const workshop = openWorkshop(openRuntime);
  workshop.edit({ source: 'export default (args) => args.first.second;' });
  await workshop.attempt();
  expect(codeOf(workshop)).toEqual(['capability_threw']);
  workshop.edit({ source: 'export default () => (;' });
  await workshop.attempt();
  expect(workshop.tried.value.map(({ trial, trouble }) => [trial, trouble])).toEqual([
    [undefined, expect.stringMatching(/^Not tried/)],
  ]);
  expect(workshop.problems.value.map(({ field, line }) => [field, line])).toEqual([['source', 1]]);
  expect(workshop.busy.value).toBe(false);
  workshop.rest();
});

test('the place of a fault is marked in the very draft that had it, and in no other', async () => {
  const workshop = openWorkshop(openRuntime);
  const before = workshop.draft.value.source;
  workshop.mark({ line: 2, column: 3, message: 'It threw.' });
  expect(workshop.fault.value).toEqual({ line: 2, column: 3, message: 'It threw.' });
  workshop.edit({ source: `${before}\n` });
  expect(workshop.fault.value).toBeUndefined();
  workshop.edit({ source: before });
  expect(workshop.fault.value?.line).toBe(2);
  workshop.edit({ args: 'no schema' });
  expect(workshop.fault.value).toBeUndefined();
});

test('the result that its schema refused is had by making the call again, and an author gets no advice for models', async () => {
  const workshop = openWorkshop(openRuntime);
  workshop.edit({ source: 'export default ({ name }) => ({ greeting: [name, Math.random()] });' });
  await workshop.attempt();
  const trial = workshop.tried.value[0]?.trial;
  if (trial === undefined) throw new Error('The draft was not tried.');
  expect(codeOf(workshop)).toEqual(['result_schema']);
  expect(told(trial)).toMatch(/^Result refused: [^.]+\.$/);
  const refused = await whatWasRefused(createSandbox, trial.step);
  expect(JSON.parse(refused ?? '')).toEqual({ greeting: ['x', expect.any(Number)] });
  expect(await whatWasRefused(createSandbox, trial.step)).toBe(refused);
  expect(await whatWasRefused(createSandbox, { ...trial.step, bytes: async () => undefined })).toBeUndefined();
  workshop.rest();
});
