import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extend, headAfter, NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { Draft, LedgerRecord } from '../../../core/ledger/record.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import type { FindPayload } from '../../../core/run/resume/facts.ts';
import { restore } from '../../../core/run/resume/restore.ts';
import { recheck, resume } from '../../../core/run/resume/resume.ts';
import { derive, isOver } from '../../../core/telemetry/derive.ts';
import { EVENTS, type EventType, type TelemetryEvent } from '../../../core/telemetry/event.ts';
import { caseCount } from '../../cases.ts';
import { CONTENT, must, play, RUN_ID, type World } from './run.ts';
import { worlds } from './worlds.ts';

const WORLD: World = {
  dialect: 'xct',
  remote: false,
  precompiled: true,
  mode: 'running',
  proposals: [],
  answers: [],
  checks: [],
  calls: [],
  stopAfter: 1000,
  lostAfter: 1000,
  stray: [],
};
const call = (name: string) =>
  JSON.stringify({ next_step: { tool: `test.${name}`, arguments: { text: 'x' }, goal: '' } });
const DONE = '{"done":true,"message":"x"}';

/** A list of words. */
const words = (text: string) => text.trim().split(/\s+/);

function tell(world: World) {
  const { moments, written } = play(world);
  const events = moments.flatMap(({ before, event, after, effects }) => derive(before, event, after, effects));
  return { events, written, moments };
}
type Telling = ReturnType<typeof tell>;

const tellings = new Map<string, Telling>();

/** The laws are tried on the same worlds, so that each world is played once. */
function tellingOf(world: World): Telling {
  const key = fc.stringify(world);
  const telling = tellings.get(key) ?? tell(world);
  tellings.set(key, telling);
  return telling;
}

/** Events of each proposal, in order. */
function executions(events: readonly TelemetryEvent[]): readonly (readonly TelemetryEvent[])[] {
  const ids = new Set(events.map((event) => event.execution_id).filter((id) => id !== RUN_ID));
  return [...ids].map((id) => events.filter((event) => event.execution_id === id));
}

const count = (events: readonly TelemetryEvent[], ...types: EventType[]) =>
  events.filter((event) => types.includes(event.event_type)).length;
const typesOf = (events: readonly TelemetryEvent[], ...without: EventType[]) =>
  events.map((event) => event.event_type).filter((type) => !without.includes(type));

function law(holds: (telling: Telling, world: World) => void): void {
  fc.assert(
    fc.property(worlds, (world) => holds(tellingOf(world), world)),
    { numRuns: caseCount(300) },
  );
}

/** Every event that the generator can make must occur, or the laws would not cover it. */
test('the generated runs of the laws have every event in them', () => {
  const seen = new Set<string>();
  for (const world of fc.sample(worlds, { numRuns: 400, seed: 7 }))
    for (const event of tellingOf(world).events) seen.add(event.event_type);
  // Only Catalytic messages have content; these runs are of the other dialects.
  const content = ['content_expanded', 'content_failed', 'budget_spent', 'budget_exceeded'];
  const elsewhere = [...content, 'run_resumed', 'telemetry_lost'];
  expect([...seen].toSorted()).toEqual(
    Object.keys(EVENTS)
      .filter((type) => !elsewhere.includes(type))
      .toSorted(),
  );
});

describe('telemetry of arbitrary runs', () => {
  test('telemetry tells each proposal as received once', () =>
    law(({ events }) => {
      for (const execution of executions(events)) expect(count(execution, 'protocol_received')).toBe(1);
    }));

  test('telemetry tells each finished proposal as validated or rejected, never both', () =>
    law(({ events, moments }) => {
      const open = openId(moments.at(-1)?.after);
      for (const execution of executions(events)) {
        const judged = count(execution, 'protocol_validated', 'protocol_rejected');
        expect(judged).toBe(execution[0]?.execution_id === open ? Math.min(judged, 1) : 1);
      }
    }));

  test('telemetry tells a capability as requested exactly for a validated call', () =>
    law(({ events }) => {
      for (const execution of executions(events)) {
        const calls = execution.filter((event) => event.event_type === 'protocol_validated' && event.kind === 'call');
        expect(count(execution, 'capability_requested')).toBe(calls.length);
      }
    }));

  test('telemetry tells each request as authorized or denied once, and only an authorized call as started', () =>
    law(({ events, moments }) => {
      const open = openId(moments.at(-1)?.after);
      for (const execution of executions(events)) {
        const decided = count(execution, 'capability_authorized', 'capability_denied');
        if (execution[0]?.execution_id !== open) expect(decided).toBe(count(execution, 'capability_requested'));
        expect(count(execution, 'capability_started')).toBeLessThanOrEqual(count(execution, 'capability_authorized'));
        expect(count(execution, 'budget_charged')).toBe(count(execution, 'capability_authorized'));
      }
    }));

  test('telemetry tells each started call as completed or failed, and no other call', () =>
    law(({ events, moments }) => {
      const open = openId(moments.at(-1)?.after);
      for (const execution of executions(events)) {
        const ends = count(execution, 'capability_completed', 'capability_failed');
        if (execution[0]?.execution_id !== open) expect(ends).toBe(count(execution, 'capability_started'));
        else expect(ends).toBe(0);
      }
    }));

  test('telemetry keeps the order received, judged, requested, decided, started, ended', () =>
    law(({ events }) => {
      const rank: Partial<Record<EventType, number>> = {
        protocol_received: 0,
        protocol_validated: 1,
        protocol_rejected: 1,
        capability_requested: 2,
        approval_asked: 3,
        approval_answered: 4,
        capability_authorized: 5,
        capability_denied: 5,
        budget_charged: 6,
        capability_started: 7,
        capability_completed: 8,
        capability_failed: 8,
      };
      for (const execution of executions(events)) {
        const ranks = execution.map((event) => rank[event.event_type]).filter((value) => value !== undefined);
        expect(ranks).toEqual([...new Set(ranks)].toSorted((a, b) => a - b));
      }
    }));

  test('telemetry tells each receipt without SUCCESS once, with its code, and no other receipt', () =>
    law(({ events, moments }) => {
      const receipts = moments.flatMap(({ effects }) =>
        effects.flatMap((effect) =>
          effect.type === 'append' ? effect.drafts.flatMap((each) => (each.kind === 'receipt' ? [each.body] : [])) : [],
        ),
      );
      const reasons = receipts.flatMap(({ receipt, evidence: { reason } }) =>
        reason === undefined ? [] : [[receipt.step_id, receipt.status, reason.class, reason.code]],
      );
      const told = events.flatMap((event) =>
        event.event_type === 'step_failed'
          ? [[event.execution_id.split('/')[1], event.outcome, event.class, event.code]]
          : [],
      );
      expect(told).toEqual(reasons);
    }));

  test('telemetry tells a legal path of states, from the first to the present state of the run', () =>
    law(({ events, moments }) => {
      let at = 'INITIALIZING';
      for (const event of events) {
        if (event.event_type !== 'state_transition') continue;
        expect(event.from).toBe(at);
        expect(LEGAL[event.from]).toContain(event.to);
        at = event.to;
      }
      expect(at).toBe(moments.at(-1)?.after.at.phase ?? at);
    }));

  test('telemetry tells as many proposals as the ledger has, unless the ledger was lost or the runtime failed', () =>
    law(({ events, written, moments }) => {
      const recorded = written.filter((draft) => draft.kind === 'proposal').length;
      const unwritten = openId(moments.at(-1)?.after) === undefined ? 0 : 1;
      const received = count(events, 'protocol_received');
      const isBroken = moments.at(-1)?.after.ending?.code === 'runtime_failed';
      if (count(events, 'memory_failed') === 0 && !isBroken) expect(received - recorded).toBeLessThanOrEqual(unwritten);
      expect(received).toBeGreaterThanOrEqual(recorded);
    }));

  test('telemetry tells each end of a run once, as the last event', () =>
    law(({ events, moments }) => {
      const ends = moments.filter(({ effects }) => effects.some((effect) => effect.type === 'end')).length;
      expect(count(events, 'run_completed')).toBe(ends);
      const last = moments.at(-1)?.after;
      if (last !== undefined && isOver(last)) expect(events.at(-1)?.event_type).toBe('run_completed');
    }));

  test('telemetry of the same run is the same', () =>
    law(({ events }, world) => {
      expect(tell(world).events).toEqual(events);
    }));

  test('telemetry holds no argument, result, message, reason or console line', () =>
    law(({ events }) => {
      expect(JSON.stringify(events)).not.toContain(CONTENT);
    }));

  test('telemetry has no event when the run does not change', () =>
    law(({ moments }) => {
      for (const { before, event, after, effects } of moments) {
        const changed = after.at !== before.at || after.pendingNotes !== before.pendingNotes || effects.length > 0;
        if (!changed) expect(derive(before, event, after, effects)).toEqual([]);
      }
    }));
});

function openId(state: ReturnType<typeof play>['moments'][number]['after'] | undefined): string | undefined {
  return state !== undefined && 'open' in state.at ? `${RUN_ID}/${state.at.open.step_id}` : undefined;
}

/**
 * The states of FemtoClaw and the states of this runtime: message form and approval (`run/state.ts`), and a first
 * record before IDLE.
 */
const LEGAL: Readonly<Record<string, readonly string[]>> = {
  INITIALIZING: ['MEMORY_COMMITTING', 'ERROR'],
  IDLE: ['INPUT_RECEIVED', 'MEMORY_COMMITTING', 'ERROR'],
  INPUT_RECEIVED: ['PROTOCOL_VALIDATING', 'MEMORY_COMMITTING', 'ERROR'],
  PROTOCOL_VALIDATING: ['AUTHORIZATION_EVALUATING', 'MEMORY_COMMITTING', 'ERROR'],
  AUTHORIZATION_EVALUATING: ['AWAITING_APPROVAL', 'CAPABILITY_EXECUTING', 'MEMORY_COMMITTING', 'ERROR'],
  AWAITING_APPROVAL: ['CAPABILITY_EXECUTING', 'MEMORY_COMMITTING', 'ERROR'],
  CAPABILITY_EXECUTING: ['MEMORY_COMMITTING', 'ERROR'],
  MEMORY_COMMITTING: [
    'IDLE',
    'INPUT_RECEIVED',
    'AWAITING_APPROVAL',
    'MEMORY_COMMITTING',
    'COMPLETED',
    'SHUTDOWN',
    'ERROR',
  ],
  COMPLETED: ['MEMORY_COMMITTING'],
  ERROR: ['SHUTDOWN'],
};

describe('telemetry of a whole run', () => {
  test('telemetry of a call without effects goes from its proposal to the end of the run', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('pure'), DONE] });
    const [first = []] = executions(events);
    expect(typesOf(first)).toEqual(
      words(`
        protocol_received protocol_validated capability_requested capability_authorized budget_charged
        capability_started capability_completed memory_write`),
    );
    expect(first.find((event) => event.event_type === 'capability_completed')).toMatchObject({
      status: 'ok',
      capability: 'test.pure',
      fuel: 5,
      result_bytes: 27,
    });
    expect(events.at(-1)).toEqual({
      event_type: 'run_completed',
      execution_id: RUN_ID,
      status: 'ok',
      state: 'completed',
      steps: 2,
    });
  });

  test('telemetry tells a state at the point where the run entered it', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('pure'), DONE] });
    const told = events.map((event) => (event.event_type === 'state_transition' ? event.to : event.event_type));
    const from = told.indexOf('protocol_received');
    expect(told.slice(from, from + 13)).toEqual(
      words(`
        protocol_received PROTOCOL_VALIDATING protocol_validated capability_requested
        AUTHORIZATION_EVALUATING capability_authorized budget_charged CAPABILITY_EXECUTING
        capability_started capability_completed MEMORY_COMMITTING memory_write memory_committed`),
    );
  });

  test('telemetry of an approved write tells question, approval, intent and effect', () => {
    const [first = []] = executions(tellingOf({ ...WORLD, proposals: [call('write'), DONE] }).events);
    expect(typesOf(first)).toEqual(
      words(`
        protocol_received protocol_validated capability_requested approval_asked memory_write
        memory_committed approval_answered capability_authorized budget_charged memory_write
        memory_committed capability_started capability_completed memory_write`),
    );
  });

  test('telemetry tells the denial by a person with the code approval_denied', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('write'), DONE], answers: ['no'] });
    expect(events.find((event) => event.event_type === 'approval_answered')).toMatchObject({
      approved: false,
      status: 'refused',
    });
    const denied = events.find((event) => event.event_type === 'capability_denied');
    expect(denied).toMatchObject({ code: 'approval_denied', class: 'authorization', capability: 'test.write' });
    expect(denied).not.toHaveProperty('decision');
  });

  test.each([
    ['none', 'DENIED_POLICY_VIOLATION', 'no_grant'],
    ['off', 'DENIED_CAPABILITY_DISABLED', 'capability_disabled'],
  ])('telemetry of a denial of test.%s names decision and code', (name, decision, code) => {
    const { events } = tellingOf({ ...WORLD, precompiled: false, proposals: [call(name), DONE] });
    expect(events.find((event) => event.event_type === 'capability_denied')).toMatchObject({
      decision,
      code,
      status: 'refused',
    });
  });

  test('telemetry of a refused proposal names class, code and gate, and no name that the model made up', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('unknown'), DONE] });
    const [first = []] = executions(events);
    expect(typesOf(first)).toEqual(['protocol_received', 'protocol_rejected', 'step_failed', 'memory_write']);
    expect(first[1]).toMatchObject({ class: 'unknown_capability', code: 'unknown_capability', gate: 'capability' });
    expect(JSON.stringify(events)).not.toContain('test.unknown');
  });

  test('telemetry tells a proposal as rejected when the run stops during the check of its arguments', () => {
    const { moments } = play({ ...WORLD, precompiled: false, proposals: [call('pure')] });
    const at = moments.findIndex(({ after }) => after.at.phase === 'PROTOCOL_VALIDATING') + 1;
    const [first = []] = executions(
      tellingOf({ ...WORLD, precompiled: false, proposals: [call('pure')], stopAfter: at }).events,
    );
    expect(typesOf(first)).toEqual(['protocol_received', 'protocol_rejected', 'step_failed', 'memory_write']);
    expect(first[1]).toMatchObject({ code: 'call_aborted', status: 'refused' });
  });

  test('telemetry tells a request as denied when the run stops during the question to a person', () => {
    const { moments } = play({ ...WORLD, proposals: [call('write')] });
    const at = moments.findIndex(({ after }) => after.at.phase === 'AWAITING_APPROVAL') + 1;
    const { events } = tellingOf({ ...WORLD, proposals: [call('write')], stopAfter: at });
    expect(events.find((event) => event.event_type === 'capability_denied')).toMatchObject({ code: 'call_aborted' });
    expect(events.at(-1)).toMatchObject({ event_type: 'run_completed', state: 'aborted', status: 'refused' });
  });

  test('telemetry of a failed call names how the call ended', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('pure'), DONE], calls: ['fuel'] });
    expect(events.find((event) => event.event_type === 'capability_failed')).toMatchObject({
      code: 'fuel_exhausted',
      class: 'execution',
      ended_by: 'fuel',
      status: 'failed',
    });
  });

  test('telemetry of a lost ledger tells the failed write and the failed run', () => {
    const { events } = tellingOf({ ...WORLD, proposals: [call('pure')], lostAfter: 0 });
    expect(typesOf(events, 'state_transition')).toEqual([
      'run_started',
      'memory_write',
      'memory_failed',
      'run_completed',
    ]);
    expect(events.at(-1)).toMatchObject({ state: 'failed', code: 'log_failed', status: 'failed' });
  });

  test('telemetry tells the question and the consent for private content to a remote model', () => {
    const { events } = tellingOf({ ...WORLD, remote: true, proposals: [call('read'), DONE] });
    expect(events.find((event) => event.event_type === 'consent_asked')).toMatchObject({
      origin: 'https://models.example',
    });
    expect(events.find((event) => event.event_type === 'consent_answered')).toMatchObject({
      approved: true,
      status: 'ok',
    });
  });
});

/** Another process resumes the run from the records up to the last record of this kind. */
function takenUpAfter(kind: Draft['kind'], proposals: readonly string[]): readonly TelemetryEvent[] {
  const { written, payloads } = play({ ...WORLD, proposals });
  const left = written.slice(0, written.findLastIndex((draft) => draft.kind === kind) + 1);
  const records: LedgerRecord[] = [];
  for (const draft of left) {
    const last = records.at(-1);
    const head = last === undefined ? NO_RECORDS : headAfter(last);
    records.push(extend(head, draft, { run_id: RUN_ID, epoch: 1, at: 0 }).record);
  }
  const find: FindPayload = ({ sha256 }) => payloads.get(sha256);
  const restored = must(restore(records, find, new Map()));
  const again = must(recheck(restored, find));
  const holds = again.checks.map(({ schemas }) => new Map(schemas.map((hash) => [hash, { issues: [] }] as const)));
  const [state, effects] = resume(restored, again, holds, find);
  return derive(state, undefined, state, effects);
}

describe('telemetry of a resumed run', () => {
  test('telemetry of a run resumed between two steps tells run_resumed', () => {
    const events = takenUpAfter('receipt', [call('pure')]);
    expect(typesOf(events)).toEqual(words('run_resumed memory_write'));
  });

  test('telemetry of a resumed run tells an unfinished call as failed with interrupted', () => {
    const events = takenUpAfter('intent', [call('write')]);
    expect(typesOf(events)).toEqual(words('run_resumed capability_failed step_failed memory_write'));
    expect(events[1]).toMatchObject({
      capability: 'test.write',
      code: 'interrupted',
      class: 'execution',
      status: 'failed',
    });
    expect(events[1]?.execution_id).toMatch(new RegExp(`^${RUN_ID}/[0-9a-f-]{36}$`));
  });
});

test('a late answer of the disk yields no telemetry', () => {
  const { moments } = play({ ...WORLD, proposals: [DONE] });
  const last = moments.at(-1);
  if (last === undefined) throw new Error('the run did not begin');
  const event: RunEvent = { type: 'appended' };
  expect(derive(last.after, event, { ...last.after, phasesEntered: [] }, [])).toEqual([]);
});
