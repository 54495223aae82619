import { type Code, isObject, type JsonValue, type Step } from '../../../core/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../../workers/api.ts';
import { type Lab, type LabOptions, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { ATTACKS } from './attacks.ts';
import { definitionOf, ESCAPES, HONEST, nameOf } from './escapes.ts';

/** One thing to try: a proposal, and what is expected to stop it. */
export interface Attempt {
  readonly id: string;
  readonly kind: 'proposal' | 'guest';
  readonly title: string;
  readonly caption: string;
  /** What is sent, byte for byte. */
  readonly text: string;
  /** The guest's source, where the attack is one. */
  readonly source?: string;
  readonly expects: { readonly code?: Code; readonly step?: Step };
}

/** How an attempt ended, read from its receipt, and how the honest call right after it did. */
export interface Verdict {
  readonly trial: Trial;
  readonly code: Code | undefined;
  readonly step: Step | undefined;
  /** What it got hold of. Empty, unless something is very wrong. */
  readonly reached: readonly string[];
  /** It ended as expected, reached nothing, and left the next call a clean heap. */
  readonly held: boolean;
  readonly next: Trial;
}

export const ATTEMPTS: readonly Attempt[] = [
  ...ESCAPES.map(
    (escape): Attempt => ({
      id: escape.slug,
      kind: 'guest',
      title: escape.title,
      caption: escape.caption,
      text: call(nameOf(escape), 'Break out'),
      source: escape.source,
      expects: escape.stops === undefined ? {} : { code: escape.stops },
    }),
  ),
  ...ATTACKS.map(
    ({ title, caption, text, stops }, i): Attempt => ({
      id: `p${i + 1}`,
      kind: 'proposal',
      title,
      caption,
      text,
      expects: stops,
    }),
  ),
];

function call(tool: string, goal: string): string {
  return JSON.stringify({ next_step: { tool, arguments: {}, goal } });
}

/** The proposals name these; that they exist, and that one of them has no grant, is what they are stopped by. */
const NAMED = ['calc.eval', 'unit.convert', 'calendar.add'];

/** A run in which every attacker is registered, enabled and granted: what stops it is never a missing permission. */
export function openBreakout(open: OpenRuntime, catalogue: readonly CapabilityDefinition[]): Promise<Lab> {
  const named = catalogue.filter(({ name }) => NAMED.includes(name));
  const hostile = [...ESCAPES.map(definitionOf), HONEST];
  const granted = [...hostile, ...named].filter(({ name }) => name !== 'calendar.add');
  const grants: readonly GrantOption[] = granted.map(({ name }) => ({ capability: name, mode: 'allow' }));
  const options: LabOptions = {
    capabilities: [...hostile, ...named],
    grants,
    task: 'Break out',
    limits: { steps: 10_000, refusalsInRow: 10_000 },
  };
  return openLab(open, options);
}

export async function attempt(lab: Lab, { text, expects }: Attempt): Promise<Verdict> {
  const trial = await lab.propose(text);
  const next = await lab.propose(call(HONEST.name, 'Go on'));
  const { reason } = trial.receipt.body.evidence;
  const reached = reachedBy(trial);
  const stopped = expects.code === undefined || reason?.code === expects.code;
  const place = expects.step === undefined || reason?.step === expects.step;
  const clean = next.receipt.body.evidence.reason === undefined && reachedBy(next).length === 0;
  const held = stopped && place && clean && reached.length === 0;
  return { trial, code: reason?.code, step: reason?.step, reached, held, next };
}

/** A guest that was not stopped tells what it found; its word is a stranger's, and is only ever shown. */
function reachedBy({ reply }: Trial): readonly string[] {
  const told = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  const result = isObject(told) && told['status'] === 'success' ? told['result'] : undefined;
  const reached = isObject(result) ? result['reached'] : undefined;
  return Array.isArray(reached) ? reached.map(String) : [];
}
