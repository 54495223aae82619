import { expect, test } from 'vitest';
import type { Dialect } from '../../../../core/index.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { openShelf } from '../../../../web/playground/gallery/shelf.ts';
import { openCurrentRun } from '../../../../web/playground/run/current-run.ts';
import { openRunChoices } from '../../../../web/playground/run/run-start.ts';
import type { PlaygroundScenario } from '../../../../web/playground/scenario.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/models/script.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: [] });
const HOME_FORMS = [inForm('xct'), inForm('femtoclaw')];

function currentRun(runtime: Runtime) {
  const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => [], changed: async () => {} });
  const choices = openRunChoices(shelf, inForm('xct'));
  const nothing = (): void => {};
  return { choices, ...openCurrentRun({ runtime, choices, attempt: nothing, turned: nothing, ended: nothing }) };
}

test('a look at a run of this device opens its scenario, and a look at a run of a backup opens none', async () => {
  await using own = await openRuntime();
  const { id, result } = own.start({
    dialect: 'xct',
    task: 'Look.',
    model: fromScript([{ done: true, message: 'm' }], 'playground, mail: x'),
  });
  await result;
  const backup = await own.storage.backup();
  const here = currentRun(own);
  expect(await here.open(id)).toBe(true);
  expect(here.choices.scenario.value.id).toBe('mail');
  here.show(undefined);

  await using other = await openRuntime();
  await other.storage.restore(backup);
  const authority = async () => [await other.capabilities.list(), await other.grants.list()];
  const before = await authority();
  const there = currentRun(other);
  expect(await there.open(id)).toBe(true);
  expect(there.session.value?.isForeign).toBe(true);
  expect(await authority()).toEqual(before);
  expect(there.choices.scenario.value.id).toBe('bakery');
  there.show(undefined);
});
