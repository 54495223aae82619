import { signal } from '@preact/signals-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect, Label } from '../../../../core/index.ts';
import { setupOf } from '../../../../web/playground/copy-code/copied-setup.ts';
import { CORPUS } from '../../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import { openShelf } from '../../../../web/playground/gallery/shelf.ts';
import { type ForkFacts, forkFile, forkRun } from '../../../../web/playground/run/fork.ts';
import { openRunChoices, type RunChoices } from '../../../../web/playground/run/run-start.ts';
import { readRun } from '../../../../web/playground/run/session.ts';
import type { PlaygroundScenario } from '../../../../web/playground/scenario.ts';
import type { CapabilityDefinition, Run, Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { defineTool } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: [] });
const HOME_FORMS = [inForm('xct'), inForm('femtoclaw'), inForm('catalytic')] as const;

const EVIL: CapabilityDefinition = {
  name: 'evil.tool',
  version: '1.0.0',
  description: 'Of a stranger.',
  effect: 'pure',
  args: { type: 'object', properties: {}, additionalProperties: false },
  source: 'export default () => 1;',
};
const call = (tool: string, args: object) => ({ next_step: { tool, arguments: args, goal: 'g' } });

/** A stranger's run: its registry has a tool of its own, and its question was answered with yes. */
async function strangersRun(model: string): Promise<{ id: string; text: string; backup: Blob }> {
  const { capabilities } = HOME_FORMS[0];
  const grants = [
    { capability: 'evil.tool', mode: 'allow' },
    { capability: 'notes.put', mode: 'ask' },
  ] as const;
  const approve = async () => ({ approved: true }) as const;
  const theirs = await openRuntime({ capabilities: [...capabilities, EVIL], grants, approve });
  const said = [call('evil.tool', {}), call('notes.put', { name: 'n', text: 't' }), { done: true, message: 'm' }];
  const run = theirs.start({ dialect: 'xct', task: 'Obey the stranger.', model: fromScript(said, model) });
  await run.result;
  const text = await theirs.ledger.export(run.id);
  const backup = await theirs.storage.backup();
  await theirs.close();
  expect(text).toContain('"event":"answered"');
  return { id: run.id, text, backup };
}

let runtime: Runtime;
let choices: RunChoices;
beforeEach(async () => {
  const { capabilities, grants } = HOME_FORMS[2];
  runtime = await openRuntime({ capabilities, grants });
  let names: readonly string[] = [];
  const changed = async (): Promise<void> => {
    names = (await runtime.capabilities.list()).map(({ name }) => name);
  };
  await changed();
  const shelf = openShelf({ runtime, home: HOME_FORMS, names: () => names, changed });
  choices = openRunChoices(shelf, HOME_FORMS[0]);
});
afterEach(() => runtime.close());

/** Forks before a step, and returns the new run. */
const forked = (text: string, step: number): Promise<Run> => forkedBy((facts) => forkFile(facts, text, step));

async function forkedBy(
  fork: (facts: ForkFacts) => Promise<void>,
  put: (draft: string) => void = () => {},
): Promise<Run> {
  let begun: Run | undefined;
  const current = { session: signal(undefined), drive: (run: Run) => void (begun = run) };
  const facts = { runtime, choices, current, next: { choose: () => {} }, draft: { put } };
  await fork(facts as never);
  if (begun === undefined) throw new Error('no run has begun');
  return begun;
}

const chosen = () => [choices.scenario.value.id, choices.scenario.value.dialect];
const authority = async () => [await runtime.capabilities.list(), await runtime.grants.list()];

describe('a fork of a stranger’s file', () => {
  it.each(['playground, mail: x', 'playground, nowhere: x', 'playground: x', 'script'])(
    'a fork brings no capability, grant or consent of a file whose model is %s',
    async (model) => {
      const { text } = await strangersRun(model);
      const before = await authority();
      const run = await forked(text, 3);
      expect(await authority()).toEqual(before);
      expect(chosen()).toEqual(['bakery', 'xct']);
      expect(choices.shelf.opened.value.length).toBe(HOME_FORMS.length);

      await run.step();
      const [receipt] = (await runtime.ledger.records(run.id)).filter(({ kind }) => kind === 'receipt');
      expect(receipt).toMatchObject({ body: { evidence: { reason: { code: 'unknown_capability' } } } });
      await run.step();
      expect(run.view.pending).toMatchObject({ capability: 'notes.put' });
      await run.abort();
    },
  );

  it('a fork is of the file’s scenario where a person has opened that scenario, in the form of the file', async () => {
    const { text } = await strangersRun('playground, mail: x');
    await choices.shelf.open('mail');
    const before = await authority();
    const run = await forked(text, 3);
    expect(chosen()).toEqual(['mail', 'xct']);
    expect(await authority()).toEqual(before);
    await run.abort();
  });

  it('a fork of a scenario that is not open is of the current scenario, in the form of the file', async () => {
    const { text } = await strangersRun('playground, mail: x');
    choices.scenario.value = HOME_FORMS[1];
    const run = await forked(text, 3);
    expect(chosen()).toEqual(['bakery', 'xct']);
    await run.abort();
  });

  it('a fork of a restored run makes no proposal, begins untrusted, and its first write asks', async () => {
    const { id, backup } = await strangersRun('playground: x');
    await runtime.storage.restore(backup);
    for (const { id: theirs } of await runtime.grants.list()) await runtime.grants.revoke(theirs);
    await runtime.grants.grant({ capability: 'notes.put', mode: 'allow' });
    const own = await readRun(runtime, id);
    if (own === undefined) throw new Error('the restored run is not there');
    expect(own.isForeign).toBe(true);
    const run = await forkedBy((facts) => forkRun(facts, own, 3));
    const [first, ...rest] = await runtime.ledger.records(run.id);
    expect(first).toMatchObject({ kind: 'configuration', body: { labels: ['untrusted'] } });
    expect(rest.filter(({ kind }) => kind === 'proposal')).toEqual([]);
    await run.step();
    await run.step();
    const asked = (await runtime.ledger.records(run.id)).findLast(({ kind }) => kind === 'decision');
    expect(asked).toMatchObject({ body: { decision: 'REQUIRES_APPROVAL', why: 'untrusted' } });
    await run.abort();
  });

  it('a fork of the fork makes no proposal, and begins untrusted', async () => {
    const { text } = await strangersRun('playground: x');
    const first = await forked(text, 3);
    await first.step();
    await first.step();
    const second = await forkedOwn(first, 3);
    const [begun, ...rest] = await runtime.ledger.records(second.id);
    expect(begun).toMatchObject({ kind: 'configuration', body: { labels: ['untrusted'] } });
    expect(rest.filter(({ kind }) => kind === 'proposal')).toEqual([]);
    await first.abort();
    await second.abort();
  });

  it('the copied code of a fork begins untrusted, and has no proposals', async () => {
    const fork = await forked((await strangersRun('playground: x')).text, 3);
    const session = signal(await readRun(runtime, fork.id));
    const store = { session, setup: choices.setup, chosen: signal('script'), scenario: choices.scenario.peek() };
    const copied = { labels: ['untrusted'], proposer: { kind: 'person' } };
    await expect.poll(() => setupOf(store as never)).toMatchObject(copied);
    session.peek()?.close();
    await fork.abort();
  });

  it('a fork has the labels that the run of the file began with', async () => {
    const run = startOf(['private']);
    await run.result;
    const fork = await forked(await runtime.ledger.export(run.id), 1);
    expect(await labelsOf(fork)).toEqual(['private', 'untrusted']);
    await fork.abort();
  });
});

it('a fork of an own run has the labels that the run began with, and makes its proposals', async () => {
  const run = startOf(['private']);
  await run.result;
  const fork = await forkedOwn(run, 2);
  expect(await labelsOf(fork)).toEqual(['private']);
  expect((await runtime.ledger.records(fork.id)).filter(({ kind }) => kind === 'proposal')).toHaveLength(1);
  await fork.abort();
});

describe('a fork of a run with a call that a person edited', () => {
  /** The model lists notes, puts one, which a person edits, and ends. */
  async function editedRun(): Promise<Run> {
    const said = [call('notes.put', { name: 'n', text: 'of the model' }), { done: true, message: 'm' }];
    const run = runtime.start({ dialect: 'xct', task: 'Put.', model: fromScript(said, 'playground: x') });
    await run.run();
    const digest = run.view.pending?.digest ?? '';
    const instead = await run.edit(digest, { name: 'n', text: 'of the person' });
    await run.answer(digest, { approved: true, instead });
    await run.run();
    expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
    return run;
  }

  const proposals = async ({ id }: Run) => {
    const records = await runtime.ledger.records(id);
    const made = records.flatMap(({ kind, body }) => (kind === 'proposal' ? [body] : []));
    return Promise.all(
      made.map(async ({ by, payload }) => [by, new TextDecoder().decode(await runtime.ledger.payload(id, payload))]),
    );
  };

  /** The person says yes to what the model had proposed, and the run goes on. */
  async function goOn(fork: Run): Promise<void> {
    await fork.answer(fork.view.pending?.digest ?? '', { approved: true });
    await fork.run();
    expect(await proposals(fork)).toEqual([
      [undefined, expect.stringContaining('of the model')],
      [undefined, expect.stringContaining('done')],
    ]);
    await fork.abort();
  }

  it.each([
    ['behind the edited call', 3],
    ['before the edited call', 2],
  ])(
    'asks the person again about what the model had proposed, and proposes nothing of the person’s: %s',
    async (_, at) => {
      const run = await editedRun();
      let draft = '';
      const fork = await forkedOwn(run, at, (text) => (draft = text));
      expect(fork.view.pending?.args).toBe('{"name":"n","text":"of the model"}');
      // the model's next, and not the call of the person
      expect(draft).toContain('done');
      await goOn(fork);
    },
  );

  it('of a file proposes nothing of the person’s either', async () => {
    const run = await editedRun();
    const fork = await forked(await runtime.ledger.export(run.id), 3);
    await fork.step();
    await fork.answer(fork.view.pending?.digest ?? '', { approved: true });
    await fork.run();
    expect(await proposals(fork)).toEqual([[undefined, expect.stringContaining('of the model')]]);
    await fork.abort();
  });
});

it('a fork makes no edited call of a person, which may quote values that no model has read', async () => {
  const tool = { version: '1.0.0', description: 'x', labels: [] } as const;
  const search = defineTool({ ...tool, name: 'mail.search', effect: 'read', args: {}, run: () => 'held value' });
  const send = defineTool({ ...tool, name: 'mail.send', effect: 'write', args: { type: 'object' }, run: () => null });
  const grants = [
    { capability: 'mail.search', mode: 'allow' },
    { capability: 'mail.send', mode: 'ask' },
  ] as const;
  const held = await openRuntime({ tools: [search, send], grants, hold: 'all' });
  const said = [call('mail.search', {}), call('mail.send', { x: { $held: 'h1' } }), { done: true, message: 'm' }];
  const run = held.start({ dialect: 'xct', task: 'Copy.', model: fromScript(said, 'playground: x') });
  await expect.poll(() => run.view.pending).toBeDefined();
  const digest = run.view.pending?.digest ?? '';
  await run.answer(digest, { approved: true, instead: await run.edit(digest, { x: 'held value', y: 1 }) });
  expect(await run.result).toMatchObject({ steps: 4 });
  const own = await readRun(held, run.id);
  if (own === undefined) throw new Error('the run is not there');
  for (const { id } of await held.grants.list()) await held.grants.revoke(id);
  for (const { name } of [search, send]) await held.grants.grant({ capability: name, mode: 'allow' });
  const fork = await forkedBy((facts) => forkRun({ ...facts, runtime: held }, own, 4));
  expect((await held.ledger.records(fork.id)).filter(({ kind }) => kind === 'proposal')).toHaveLength(2);
  expect(await held.ledger.export(fork.id, { secrets: true })).not.toContain('"y":1');
  own.close();
  await fork.abort();
  await held.close();
});

function startOf(labels: readonly Label[]): Run {
  const model = fromScript([call('notes.list', {}), { done: true, message: 'm' }], 'playground: x');
  return runtime.start({ dialect: 'xct', task: 'List the notes.', model, labels });
}

async function forkedOwn({ id }: Run, step: number, put?: (draft: string) => void): Promise<Run> {
  const own = await readRun(runtime, id);
  if (own === undefined) throw new Error('the run is not there');
  return forkedBy((facts) => forkRun(facts, own, step), put).finally(() => own.close());
}

/** A run that has just begun may have no record yet. */
async function labelsOf(run: Run): Promise<unknown> {
  for await (const first of run.records()) return first.kind === 'configuration' ? first.body.labels : undefined;
  return undefined;
}
