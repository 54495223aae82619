import type { Dialect } from '../../core/index.ts';
import { withFiles } from '../../sandbox/capabilities/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../workers/api.ts';
import { CORPUS } from './corpus.ts';
import { type Ending, MOVES, type Move, TASK } from './script.ts';

/** One step of the script as the page shows it. */
export interface ScriptStep {
  /** Byte for byte what the model emits. */
  readonly text: string;
  readonly caption: string;
  readonly ending: Ending;
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

type DemoDialect = Exclude<Dialect, 'catalytic'>;

const CAPABILITIES: readonly CapabilityDefinition[] = withFiles(CORPUS);

/** Reading and reckoning are allowed, one kind of writing asks; `calendar.add` has no grant at all. */
const GRANTS: readonly GrantOption[] = [
  ...CAPABILITIES.filter(({ effect }) => effect === 'pure').map(({ name }) => allow(name)),
  ...CAPABILITIES.filter(({ effect }) => effect === 'read').map(({ name }) => allow(name)),
  { capability: 'notes.put', mode: 'ask', uses: 3 },
];

/** The first screen, in the dialect of choice: the same moves in another form. */
export function bakery(dialect: DemoDialect): DemoScenario {
  const steps = MOVES.map(({ move, wrap, caption, ending }) => {
    const json = JSON.stringify(FORMS[dialect](move));
    return { text: wrap?.(json) ?? json, caption, ending };
  });
  const script = steps.map(({ text }) => text);
  return {
    name: 'Kestrel Street Bakery',
    task: TASK,
    dialect,
    capabilities: CAPABILITIES,
    grants: GRANTS,
    script,
    steps,
  };
}

/** XCT 3.1 and 3.2; FemtoClaw Protocol 5 and 6. */
const FORMS: { readonly [D in DemoDialect]: (move: Move) => unknown } = {
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
