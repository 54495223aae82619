import type { Dialect } from '../../../core/index.ts';
import { withFiles } from '../../../sandbox/capabilities/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../../workers/api.ts';
import { CORPUS } from './corpus.ts';
import { MESSAGES, messageOf } from './messages.ts';
import { MOVES, type ScriptEnding, type ScriptedMove, type ScriptMove, TASK } from './script.ts';

/** A step of the script as the page shows it. */
export interface ScriptStep {
  /** The model's text, byte for byte. */
  readonly text: string;
  readonly caption: string;
  readonly ending: ScriptEnding;
}

/** A run that is ready to start, with a word on each of its steps. */
export interface DemoScenario {
  readonly name: string;
  readonly task: string;
  readonly dialect: Dialect;
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  /** The texts of `steps`. */
  readonly script: readonly string[];
  readonly steps: readonly ScriptStep[];
}

const CAPABILITIES: readonly CapabilityDefinition[] = withFiles(CORPUS);

/** Reading and reckoning are allowed, a single kind of writing asks, and `calendar.add` has no grant. */
const GRANTS: readonly GrantOption[] = [
  ...CAPABILITIES.filter(({ effect }) => effect === 'pure').map(({ name }) => allow(name)),
  ...CAPABILITIES.filter(({ effect }) => effect === 'read').map(({ name }) => allow(name)),
  { capability: 'notes.put', mode: 'ask', uses: 3 },
];

/** Grants of a run whose proposals are messages: reading is allowed, and changing a paper asks. */
const OPERATIONS: readonly GrantOption[] = [allow('content.read'), { capability: 'content.write', mode: 'ask' }];

/** The first screen, in the dialect of choice: the same moves in another form. */
export function bakery(dialect: Dialect): DemoScenario {
  const steps =
    dialect === 'catalytic' ? MESSAGES.map(stepIn(messageOf)) : MOVES.map(stepIn<ScriptMove>(FORMS[dialect]));
  const script = steps.map(({ text }) => text);
  return {
    name: 'Kestrel Street Bakery',
    task: TASK,
    dialect,
    capabilities: CAPABILITIES,
    grants: dialect === 'catalytic' ? [...GRANTS, ...OPERATIONS] : GRANTS,
    script,
    steps,
  };
}

/** A move in the form of its dialect, with the text that the model puts around it. */
function stepIn<M>(form: (move: M) => unknown): (one: ScriptedMove<M>) => ScriptStep {
  return ({ move, wrap, caption, ending }) => {
    const json = JSON.stringify(form(move));
    return { text: wrap?.(json) ?? json, caption, ending };
  };
}

/** XCT 3.1 and 3.2; FemtoClaw Protocol 5 and 6. */
const FORMS: { readonly [D in Exclude<Dialect, 'catalytic'>]: (move: ScriptMove) => unknown } = {
  xct: (move) =>
    move.kind === 'finish'
      ? { done: true, message: move.message }
      : { next_step: { tool: move.tool, arguments: move.args, goal: move.goal } },
  femtoclaw: (move) =>
    move.kind === 'finish'
      ? { message: { content: move.message } }
      : { tool_call: { tool: move.tool, args: move.args } },
};

function allow(capability: string): GrantOption {
  return { capability, mode: 'allow' };
}
