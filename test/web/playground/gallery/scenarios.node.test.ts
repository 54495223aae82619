import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dialect, LedgerRecord } from '../../../../core/index.ts';
import type { ScriptMove } from '../../../../web/playground/demo/moves.ts';
import { formsOf, loadScenario, SCENARIO_IDS } from '../../../../web/playground/gallery/shelf.ts';
import type { ScenarioSource } from '../../../../web/playground/gallery/source.ts';
import { namesOf } from '../../../../web/playground/scenario.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { expectReplayed, verified } from '../../../runtime/replayed.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const scenarios = await Promise.all(
  SCENARIO_IDS.map(async (id) => [id, (await loadScenario(id)) as ScenarioSource] as const),
);
const DIALECTS = ['xct', 'femtoclaw'] as const;
type Receipt = Extract<LedgerRecord, { kind: 'receipt' }>;
type Call = Extract<ScriptMove, { kind: 'call' }>;

function callsOf({ moves }: ScenarioSource): readonly Call[] {
  return moves.flatMap(({ move }) => (move.kind === 'call' ? [move] : []));
}

/** What a stranger wrote in the papers, as one text without line breaks. */
function papersOf({ files }: ScenarioSource): string {
  return Object.values(files).join(' ').replaceAll(/\s+/gu, ' ');
}

async function play(runtime: Runtime, source: ScenarioSource, dialect: Dialect) {
  const form = formsOf(source).find((each) => each.dialect === dialect);
  if (form === undefined) throw new Error(`${source.id} has no form ${dialect}`);
  const run = runtime.start({ dialect, task: form.task, model: fromScript(form.script) });
  const end = await run.result;
  const records = await runtime.ledger.records(run.id);
  const receipts = records.filter((record): record is Receipt => record.kind === 'receipt');
  const asked = records.flatMap(({ kind, body }) => (kind === 'decision' && 'decision' in body ? [body] : []));
  const ended = receipts.map(({ body }) => [body.receipt.status, body.evidence.reason?.code]);
  const questions = asked.filter(({ decision }) => decision === 'REQUIRES_APPROVAL').length;
  return { end, ended, questions, file: await runtime.ledger.export(run.id) };
}

describe.each(scenarios)('the scenario %s', (id, source) => {
  const expected = source.moves.map(({ ending }) =>
    'code' in ending ? ['FAILURE', ending.code] : ['SUCCESS', undefined],
  );
  const approved = source.moves.filter(({ ending }) => ending.end === 'approved').length;
  let runtime: Runtime;

  beforeAll(async () => {
    const { capabilities, tools = [], grants } = source;
    runtime = await openRuntime({ capabilities, tools, grants, approve: async () => ({ approved: true }) });
  });
  afterAll(() => runtime.close());

  test.each(DIALECTS)('each proposal in %s ends as its caption says, and its export verifies', async (dialect) => {
    const { end, ended, questions, file } = await play(runtime, source, dialect);
    expect(end).toMatchObject({ state: 'completed', steps: source.moves.length });
    expect(ended).toEqual(expected);
    expect(questions).toBe(approved);
    expect((await verified(file)).ok).toBe(true);
    await expectReplayed(file);
  });

  test('a later run over the kept state ends in the same way', async () => {
    await play(runtime, source, 'xct');
    expect((await play(runtime, source, 'xct')).ended).toEqual(expected);
  });

  test('the scenario has five to eight proposals, a person is asked, and the attack is stopped with a code', () => {
    expect(source.moves.length).toBeGreaterThanOrEqual(5);
    expect(source.moves.length).toBeLessThanOrEqual(8);
    expect(approved).toBeGreaterThanOrEqual(1);
    const codes = source.moves.flatMap(({ ending }) => ('code' in ending ? [ending.code] : []));
    expect(codes.some((code) => code === 'grant_constraint' || code === 'no_grant')).toBe(true);
  });

  test('a denied proposal does what a paper orders', () => {
    const papers = papersOf(source);
    const denied = source.moves.flatMap(({ move, ending }) =>
      move.kind === 'call' && ending.end === 'denied' ? [move] : [],
    );
    expect(denied.length).toBeGreaterThan(0);
    for (const { args } of denied) {
      const values = Object.values(args).filter((value) => typeof value === 'number' || String(value).length > 2);
      expect(values.some((value) => papers.includes(String(value)))).toBe(true);
    }
  });

  test('each grant names a capability of the scenario, at least one is narrowed, and one asks', () => {
    const names = namesOf(source);
    for (const { capability = '' } of source.grants) expect(names).toContain(capability);
    expect(source.grants.some(({ where }) => where !== undefined)).toBe(true);
    expect(source.grants.some(({ mode }) => mode === 'ask')).toBe(true);
  });

  test('each step has a caption of one line, and no caption occurs twice', () => {
    for (const { caption } of source.moves) expect(caption).toMatch(/^[^\n]{40,130}$/);
    expect(new Set(source.moves.map(({ caption }) => caption)).size).toBe(source.moves.length);
  });

  test('the id of the scenario is that of its loader, and its script calls its capabilities', () => {
    expect(source.id).toBe(id);
    const called = new Set(callsOf(source).map(({ tool }) => tool));
    for (const name of namesOf(source)) expect(called).toContain(name);
  });
});

test('no two scenarios define different capabilities or tools of one name', () => {
  const known = new Map<string, string>();
  for (const [, { capabilities, tools = [] }] of scenarios)
    for (const each of [...capabilities, ...tools]) {
      const text = JSON.stringify(each);
      expect(known.get(each.name) ?? text).toBe(text);
      known.set(each.name, text);
    }
});

test('an id that names no scenario loads none', async () => {
  for (const id of ['', 'Mail', 'toString', '__proto__', '../mail']) expect(await loadScenario(id)).toBeUndefined();
});
