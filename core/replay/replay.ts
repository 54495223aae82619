import type { SchemaVerdict } from '../capability/check.ts';
import { otherBehaviour } from '../ledger/behaviour.ts';
import { type Finding, found } from '../ledger/export.ts';
import type { Findings } from '../ledger/report.ts';
import { restoreFacts } from '../run/resume/facts.ts';
import { restore } from '../run/resume/restore.ts';
import { recheck, resume } from '../run/resume/resume.ts';
import type { Recheck } from '../run/resume/resume-work.ts';
import { initialState, type RunFacts } from '../run/state.ts';
import { asRecorded, inOtherEngine, isOtherEngine } from './call.ts';
import { isTakenUp } from './inputs.ts';
import { acceptAsRecorded, happens, type OutsideAnswer, type OutsideRequest, type ReplayStep } from './move.ts';
import { nextMove } from './next.ts';
import { acceptRest, type Player, reportMismatch, take, takeAside } from './player.ts';
import { endOfCall } from './revocation.ts';
import { bytesOf, bytesOrPlaceholder, storedOf, type Tape, textOf } from './tape.ts';
import { timeFault } from './times.ts';

/**
 * Replays a run from its records by the same `transition` that made it, and compares each record with the recorded
 * record. Inputs from outside come from the records: the model's bytes, people's answers, consent, the clock. With
 * `decisions` the results of calls are inputs too; with `replay` the calls run again.
 *
 * In another engine than the run's, a call runs again and its value is compared; the recorded result goes on, so that fuel
 * and heap, which no other engine repeats, are not compared: both are parts that were not run (`engine_other`).
 *
 * The first difference ends the replay. Data missing from the file is taken as recorded and listed. The file's form,
 * hashes and links have been verified; its content is untrusted.
 */
export function* replay(
  tape: Tape,
  way: Player['way'],
  precompiled: RunFacts['precompiled'],
): Generator<OutsideRequest, Findings | undefined, OutsideAnswer> {
  const [first] = tape.records;
  if (first?.kind !== 'configuration') return undefined;
  const other = otherBehaviour(first);
  if (other !== undefined) return { count: 0, wrong: [], skipped: [found(0, other)] };
  const facts = restoreFacts(first.run_id, first.body, (ref) => bytesOf(tape, ref), precompiled);
  if (!facts.ok) return impossible(facts.refusal);
  const player = begin(tape, way, facts.value);
  while (player.wrong === undefined && player.at < tape.records.length) {
    if (isTakenUp(tape, player.at)) yield* takeUp(player);
    else {
      const move = nextMove(player);
      if ('ask' in move) follow(player, answeredBy(player, move.ask, yield move.ask));
      else follow(player, move);
    }
  }
  if (way === 'decisions') player.wrong ??= timeFault(tape);
  return findingsOf(player);
}

function follow(player: Player, move: ReplayStep): void {
  if ('mismatch' in move) reportMismatch(player, move.mismatch);
  else if ('rest' in move) acceptRest(player, move.rest);
  else if ('aside' in move) takeAside(player, move.aside);
  else if (move.events.length > 0) take(player, move.events);
}

/** The step for an answer of the outside. Without an event the rest is taken as recorded, and listed. */
function answeredBy(player: Player, ask: OutsideRequest, said: OutsideAnswer): ReplayStep {
  if (said.type === 'unmade')
    return ask.type === 'execute' ? asRecorded(player, ask, said.why) : acceptAsRecorded(player, said.why);
  if (ask.type !== 'execute') return happens(said);
  return isOtherEngine(player.state.facts) ? inOtherEngine(player, ask, said) : endOfCall(player, said);
}

/**
 * The findings for facts that cannot be restored: missing facts cannot be used for judging, and altered facts are a
 * fault.
 */
function impossible({ code, message }: { readonly code: Finding['code']; readonly message: string }): Findings {
  const why = { run_seq: 0, code, message };
  return code === 'payload_missing' ? { count: 0, wrong: [], skipped: [why] } : { count: 1, wrong: [why] };
}

function begin(tape: Tape, way: Player['way'], facts: RunFacts): Player {
  const player: Player = {
    tape,
    way,
    state: initialState(facts),
    effects: [],
    at: 0,
    compared: 0,
    judged: 0,
    skipped: [],
    otherEngine: [],
    otherValues: [],
    holes: false,
  };
  const task = tape.records[1];
  const text = task?.kind === 'task' ? textOf(tape, task.body.text) : '';
  if (text === undefined) acceptRest(player, { until: 2, why: 'the task is not in this file' });
  else take(player, [{ type: 'start', task: text }]);
  return player;
}

/** Resumes the run from its records, as the original process did after a crash. */
function* takeUp(player: Player): Generator<OutsideRequest, void, OutsideAnswer> {
  const { tape, at, state } = player;
  const { facts } = state;
  const restored = restore(tape.records.slice(0, at), bytesOrPlaceholder(tape), facts.precompiled);
  if (!restored.ok) return reportMismatch(player, restored.refusal.message);
  const again = recheck(restored.value, (ref) => storedOf(tape, ref));
  if (!again.ok) {
    player.state = restored.value.state;
    return acceptRest(player, { why: 'a proposal that is not in this file', ...restored.value });
  }
  const results: ReadonlyMap<string, SchemaVerdict>[] = [];
  for (const check of again.value.checks) {
    const said = yield* checkAgain(facts, state.steps, check);
    if ('why' in said) {
      player.state = restored.value.state;
      return acceptRest(player, { why: said.why, ...restored.value });
    }
    results.push(said);
  }
  take(player, resume(restored.value, again.value, results, bytesOrPlaceholder(tape)));
}

function* checkAgain(
  facts: RunFacts,
  step: number,
  { here, schemas, argsText }: Recheck,
): Generator<OutsideRequest, ReadonlyMap<string, SchemaVerdict> | { readonly why: string }, OutsideAnswer> {
  if (schemas.length === 0) return here;
  const said = yield { type: 'check', facts, step, schemas, text: argsText };
  if (said.type === 'unmade') return { why: said.why };
  return said.type === 'checked' ? new Map([...here, ...said.results]) : here;
}

function findingsOf(player: Player): Findings {
  const { way, compared, judged, wrong, difference, skipped, otherEngine, otherValues } = player;
  return {
    count: way === 'decisions' ? judged : compared,
    wrong: [...otherValues, ...(wrong === undefined ? [] : [wrong])],
    ...(difference === undefined ? {} : { difference }),
    skipped,
    parts: { fuel: otherEngine, heap: otherEngine },
  };
}
