import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KnownDefinition, PastUse } from '../../core/privilege/history.ts';
import { proposeGrants } from '../../core/privilege/propose.ts';
import { policyOf, tryPolicy } from '../../core/privilege/try.ts';
import { ownRuleOf } from '../../core/schema/predicate.ts';
import { must } from './must.ts';
import { timesOf } from './race.ts';
import type { Goal, Row } from './table.ts';

const CALLS = 100_000;
const PER_RUN = 100;

const DEFINITIONS: readonly KnownDefinition[] = (['read', 'write', 'egress'] as const).map((effect, at) => ({
  name: `files.${effect}`,
  hash: String(at).repeat(64),
  effect,
}));

/** A history of many runs: paths of many folders, addresses, numbers, and lists. */
function history(): readonly PastUse[] {
  return Array.from({ length: CALLS }, (_, at): PastUse => {
    const of = DEFINITIONS[at % DEFINITIONS.length] as KnownDefinition;
    const args = {
      path: `/home/u/project-${at % 97}/notes/${at}.md`,
      url: `https://api.example/v1/items/${at % 5000}`,
      limit: at % 200,
      tags: [`tag-${at % 11}`, `tag-${at % 13}`],
    };
    return {
      run_id: `run-${Math.floor(at / PER_RUN)}`,
      step: (at % PER_RUN) + 1,
      step_id: 'step',
      name: of.name,
      hash: of.hash,
      args,
      isSecret: false,
      handles: [],
      labels: at % 7 === 0 ? ['untrusted'] : [],
      now: at * 1000,
      end: 'ran',
    };
  });
}

interface Measured {
  readonly us: number;
  readonly mb: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Time of a work, and the heap that the history and its result take behind a collection. */
function measured(work: () => unknown): Measured {
  const start = performance.now();
  const result = work();
  const us = (performance.now() - start) * 1000;
  collect();
  const { heapUsed } = process.memoryUsage();
  if (result === undefined) throw new Error('nothing was made');
  return { us, mb: heapUsed / 1_000_000 };
}

function rowOf(what: string, samples: readonly number[], goal: Goal, unit?: 'MB'): Row {
  return { what, against: '', ours: timesOf(samples), goal, ...(unit && { unit }) };
}

/** Rules from 100,000 recorded calls, and the calls decided again by them. */
export function privilege(rounds: number): Row[] {
  const uses = history();
  const rules = must(proposeGrants(uses, { definitions: DEFINITIONS })).rules;
  const policy = policyOf(
    DEFINITIONS,
    rules.map(({ capability, terms }) => ({ capability, ...terms })),
  );
  const check: Parameters<typeof tryPolicy>[1]['check'] = (where, args) => ownRuleOf(where)?.(args);
  const turns = Array.from({ length: rounds }, () => ({
    propose: measured(() => proposeGrants(uses, { definitions: DEFINITIONS })),
    attempt: measured(() => tryPolicy(uses, { policy, definitions: DEFINITIONS, check })),
  }));
  return [
    rowOf(
      `propose from ${CALLS} calls`,
      turns.map(({ propose }) => propose.us),
      { us: 10_000_000 },
    ),
    rowOf(
      `try of ${CALLS} calls`,
      turns.map(({ attempt }) => attempt.us),
      { us: 60_000_000 },
    ),
    rowOf(
      'memory of both, collected',
      turns.map(({ attempt }) => attempt.mb),
      { mb: 300 },
      'MB',
    ),
  ];
}
