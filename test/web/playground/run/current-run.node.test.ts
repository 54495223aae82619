import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { signal } from '@preact/signals-core';
import { expect, test, vi } from 'vitest';
import type { Dialect } from '../../../../core/index.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { LIBRARY_TOOLS } from '../../../../web/playground/gallery/library/tools.ts';
import { openShelf } from '../../../../web/playground/gallery/shelf.ts';
import type { ActionRunner } from '../../../../web/playground/parts/action-runner.ts';
import { type CurrentRunFacts, openCurrentRun } from '../../../../web/playground/run/current-run.ts';
import { openNextRun } from '../../../../web/playground/run/next-run.ts';
import {
  beginRun,
  openRunChoices,
  openRunList,
  type StartedRun,
  takeUpRun,
} from '../../../../web/playground/run/run-start.ts';
import type { PlaygroundScenario } from '../../../../web/playground/scenario.ts';
import type { ModelPort, Runtime } from '../../../../workers/api.ts';
import { deferred } from '../../../../workers/async.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { temporaryFolder } from '../../../folder.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: [] });
const HOME_FORMS = [inForm('xct'), inForm('femtoclaw')];

function currentRun(runtime: Runtime, given: Partial<CurrentRunFacts> = {}) {
  const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => [], changed: async () => {} });
  const choices = openRunChoices(shelf, inForm('xct'));
  const nothing = (): void => {};
  const facts = { readyModel: () => undefined, attempt: nothing, turned: nothing, ended: nothing };
  return { choices, ...openCurrentRun({ runtime, choices, ...facts, ...given }) };
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

const TINY: ModelPort = fromScript([{ done: true, message: 'It is 42.' }], 'tiny');

/** Begins a run with a model of this id. It rests before its first step. */
function begin(runtime: Runtime, id: string): string {
  const elsewhere = fromScript([], id);
  return beginRun(runtime, { scenario: inForm('xct'), chosen: 'model', setup: {}, elsewhere }).run.id;
}

test('a run that is taken up goes on with the model that it began with, and with no other', async () => {
  await using runtime = await openRuntime();
  const id = begin(runtime, 'tiny');
  const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => [], changed: async () => {} });
  const takeUp = async (model?: ModelPort) =>
    (await takeUpRun(runtime, shelf, { chosen: 'model', model }, id, { takeOver: true })) as StartedRun;
  expect((await takeUp()).proposer.elsewhere).toBeUndefined();
  expect((await takeUp(fromScript([], 'other'))).proposer.elsewhere).toBeUndefined();
  const { run, proposer } = await takeUp(TINY);
  expect(proposer.elsewhere).toBe(TINY);
  await run.run();
  expect(await run.result).toMatchObject({ state: 'completed', message: 'It is 42.' });
});

test.each([
  ['tiny', 'script', 'model'],
  ['tiny', 'you', 'model'],
  [undefined, 'model', 'script'],
  [undefined, 'you', 'you'],
] as const)(
  'a page that is opened anew goes on with a run of %s, after %s was chosen, as %s',
  async (id, chosen, expected) => {
    await using runtime = await openRuntime();
    const elsewhere = id && fromScript([], id);
    const { run } = beginRun(runtime, { scenario: inForm('xct'), chosen: 'script', setup: {}, elsewhere });
    const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => [], changed: async () => {} });
    const begun = await takeUpRun(runtime, shelf, { chosen, isReopened: true }, run.id, { takeOver: true });
    expect(begun?.proposer.chosen.peek()).toBe(expected);
  },
);

test('the proposer follows the run that is looked at, and only a person changes the one that is remembered', async () => {
  await using runtime = await openRuntime();
  const attempt: ActionRunner = (_, act) => void act();
  const facts = { runtime, attempt, readyModel: () => undefined, knownTasks: () => [] };
  const { choices, ...current } = currentRun(runtime, facts);
  const next = openNextRun({ ...facts, choices, current, isOpen: () => true, addPapers: async () => {} });
  const left = beginRun(runtime, { scenario: inForm('xct'), chosen: 'script', setup: {} }).run.id;
  next.startRun();
  const scripted = current.session.value?.id ?? '';
  // a fork gives its run to the person
  next.startRun({ task: 'Fork.', script: [], origin: 'forked from a run' });
  const fork = current.session.value?.id ?? '';
  next.choose('you');
  expect(choices.preferred.value).toBe('script');
  await current.open(scripted);
  expect(choices.chosen.value).toBe('script');
  await current.open(fork);
  expect(choices.chosen.value).toBe('you');
  await current.open(left);
  expect(choices.chosen.value).toBe('script');
  current.takeOver();
  await vi.waitUntil(() => current.session.value?.run !== undefined);
  expect(current.session.value?.proposer?.chosen.value).toBe('script');
  current.show(undefined);
});

test('a run whose script is told to its end is taken up by the person', async () => {
  await using runtime = await openRuntime();
  const scenario = inForm('xct');
  const { run } = beginRun(runtime, { scenario, chosen: 'script', setup: {}, script: [], origin: 'forked from a run' });
  const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => [], changed: async () => {} });
  const begun = await takeUpRun(runtime, shelf, { chosen: 'script' }, run.id, { takeOver: true });
  expect(begun?.proposer.chosen.peek()).toBe('you');
});

test('a script goes on behind its own proposals: a call that a person has edited is none of them', async () => {
  const scenario = inForm('xct');
  const proposals = ['model', 'person', 'model'].map((by) => ({
    kind: 'proposal',
    body: by === 'person' ? { by } : {},
  }));
  const records = [{ kind: 'configuration', body: { model: 'script', dialect: 'xct/1' } }, ...proposals];
  const runtime = { ledger: { records: async () => records }, resume: async () => ({}) } as unknown as Runtime;
  const shelf = { open: async () => [scenario], opened: signal([scenario]), offer: () => undefined };
  const begun = await takeUpRun(runtime, shelf, { chosen: 'script' }, 'run');
  expect(begun?.proposer.next.peek()).toBe(scenario.script[2]);
});

test('a run that was taken up without its model gets it when it is ready, and begins no other run', async () => {
  await using runtime = await openRuntime();
  const ready: { model?: ModelPort } = {};
  const attempt: ActionRunner = (_, act) => void act();
  const facts = { runtime, attempt, readyModel: () => ready.model, knownTasks: () => [] };
  const { choices, ...current } = currentRun(runtime, facts);
  const next = openNextRun({ ...facts, choices, current, isOpen: () => true, addPapers: async () => {} });
  const id = begin(runtime, 'tiny');
  choices.chosen.value = 'model';
  await current.open(id);
  current.takeOver();
  await vi.waitUntil(() => current.session.value?.run !== undefined);
  expect(current.session.value?.proposer?.elsewhere).toBeUndefined();
  ready.model = TINY;
  next.choose('model');
  await vi.waitUntil(() => current.session.value?.proposer?.elsewhere === TINY);
  expect(current.session.value?.id).toBe(id);
  expect(await runtime.runs()).toHaveLength(1);
  current.show(undefined);
});

test('a model that knows few tasks gets the first of them, unless a person has typed another', async () => {
  await using runtime = await openRuntime();
  const attempt: ActionRunner = (_, act) => void act();
  const facts = { runtime, attempt, readyModel: () => TINY, knownTasks: () => ['What is 1 + 1?'] };
  const { choices, ...current } = currentRun(runtime, facts);
  const next = openNextRun({ ...facts, choices, current, isOpen: () => true, addPapers: async () => {} });
  const { task } = choices.scenario.value;
  const given: string[] = [];
  const begun = async (): Promise<void> => {
    const [first] = await runtime.runs();
    given.push(first?.task ?? '');
  };
  next.startRun();
  await begun();
  next.choose('model');
  await vi.waitUntil(async () => (await runtime.runs()).length === 2);
  await begun();
  next.choose('script');
  await vi.waitUntil(async () => (await runtime.runs()).length === 3);
  await begun();
  next.arrange({ task: 'Mine.' });
  next.choose('model');
  await vi.waitUntil(async () => (await runtime.runs()).length === 5);
  await begun();
  expect(given.map((text) => task.startsWith(text) || text)).toEqual([true, 'What is 1 + 1?', true, 'Mine.']);
  current.show(undefined);
});

/** What the playground opens first. Its list of runs, the first that is read, comes only after `opened`. */
function firstRun(runtime: Runtime, opened: Promise<unknown>) {
  const late: Partial<Runtime> = {
    runs: () => {
      delete late.runs;
      return opened.then(() => runtime.runs());
    },
  };
  const attempt: ActionRunner = (_, act) => void act();
  const facts = {
    runtime: Object.setPrototypeOf(late, runtime) as Runtime,
    attempt,
    readyModel: () => undefined,
    knownTasks: () => [],
  };
  const { choices, ...current } = currentRun(facts.runtime, facts);
  const { openFirstRun, again } = openNextRun({
    ...facts,
    choices,
    current,
    isOpen: () => true,
    addPapers: async () => {},
  });
  return { ...current, openFirstRun, again };
}

/** Opens the first run, and acts before it is found. */
async function firstRunAfter(runtime: Runtime, act: (first: ReturnType<typeof firstRun>) => unknown) {
  const opened = deferred<void>();
  const first = firstRun(runtime, opened.promise);
  const looking = first.openFirstRun();
  await act(first);
  opened.resolve();
  await looking;
  return first;
}

/** Begins a run that ends at once. */
async function endedRun(runtime: Runtime): Promise<string> {
  const model = fromScript([{ done: true, message: 'm' }], 'playground');
  const { id, result } = runtime.start({ dialect: 'xct', task: 'Look.', model });
  await result;
  return id;
}

test('a run that a person opens before the first run is found stays open', async () => {
  await using runtime = await openRuntime();
  const ended = await endedRun(runtime);
  const first = await firstRunAfter(runtime, ({ open }) => open(ended));
  expect(first.session.value?.id).toBe(ended);
  expect(await runtime.runs()).toHaveLength(1);
  first.show(undefined);
});

/** A store that a killed process has left, with an ended and an unfinished run. */
async function leftStore() {
  const folder = temporaryFolder();
  const own = { directory: join(folder, 'own') };
  await using before = await openRuntime({ store: own });
  const ended = await endedRun(before);
  const unfinished = begin(before, 'tiny');
  await before.ledger.records(unfinished);
  // closing would end the run: a copy of the directory is what a killed process leaves
  const store = { directory: join(folder, 'left') };
  await cp(own.directory, store.directory, { recursive: true });
  await rm(join(store.directory, 'lock'), { recursive: true });
  return { store, ended, unfinished };
}

test('an unfinished run that is resumed meanwhile waits until it is opened', async () => {
  const { store, ended, unfinished } = await leftStore();
  await using runtime = await openRuntime({ store });
  const first = await firstRunAfter(runtime, ({ open }) => open(ended));
  expect(first.session.value?.id).toBe(ended);
  await first.open(unfinished);
  expect(first.session.value?.run?.id).toBe(unfinished);
  first.show(undefined);
});

test('a change of the capabilities before the first run is found begins no run in its place', async () => {
  const { store, unfinished } = await leftStore();
  await using runtime = await openRuntime({ store });
  const first = await firstRunAfter(runtime, ({ again }) => again());
  expect(first.session.value?.run?.id).toBe(unfinished);
  expect(await runtime.runs()).toHaveLength(2);
  first.show(undefined);
});

test('an undo is the open run with its questions, is found again while it goes on, and is read after its end', async () => {
  const grants = LIBRARY_TOOLS.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
  await using runtime = await openRuntime({ tools: LIBRARY_TOOLS, grants });
  const done = runtime.openSession();
  await done.call('shelf.move', { book: 'b-4', place: 'repairs' });
  const current = currentRun(runtime);
  const undo = runtime.undo({ run: done.run.id, step: 1, questions: 'wait', onRun: current.attend });
  await vi.waitUntil(() => current.session.value?.view.value?.pending !== undefined);
  const { id = '' } = current.session.value ?? {};
  expect(await current.open(done.run.id)).toBe(true);
  expect(current.session.value?.run).toBeUndefined();
  expect(await current.open(id)).toBe(true);
  const own = current.session.value?.run;
  await own?.answer(own.view.pending?.digest ?? '', { approved: true });
  expect((await undo).undone).toHaveLength(1);
  expect(await current.open(id)).toBe(true);
  expect(current.session.value).toMatchObject({ id, run: undefined });
  current.show(undefined);
});

test('a start of a page reads the runs of the device once, and a list that is asked for later reads them anew', async () => {
  await using runtime = await openRuntime();
  const { id, result } = runtime.start({ dialect: 'xct', task: 'Look.', model: TINY });
  await result;
  const runs = vi.spyOn(runtime, 'runs');
  const done: Promise<unknown>[] = [];
  const list = openRunList(runtime, (_, act) => void done.push(Promise.resolve(act())));
  const current = currentRun(runtime, { rows: list.rows });
  list.listRuns();
  expect(await Promise.all([current.resume(), current.open(id)])).toEqual([false, true]);
  await Promise.all(done);
  expect(runs).toHaveBeenCalledOnce();
  expect(list.runs.value.map(({ run_id }) => run_id)).toEqual([id]);
  list.listRuns();
  list.listRuns();
  await Promise.all(done);
  expect(runs).toHaveBeenCalledTimes(3);
  expect(await list.rows()).toHaveLength(1);
  expect(runs).toHaveBeenCalledTimes(4);
  current.show(undefined);
});
