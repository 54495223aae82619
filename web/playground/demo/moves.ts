import type { Code, Dialect, JsonObject } from '../../../core/index.ts';

/** A move of the scripted model, before a dialect gives it its form. */
export type ScriptMove =
  | { readonly kind: 'call'; readonly tool: string; readonly args: JsonObject; readonly goal: string }
  | { readonly kind: 'finish'; readonly message: string };

/** The end of a proposal, with its code if it fails. `approved` waits for the person first. */
export type ScriptEnding =
  | { readonly end: 'completed' | 'approved' | 'finished' }
  | { readonly end: 'refused' | 'denied' | 'failed'; readonly code: Code };

export interface ScriptedMove<M = ScriptMove> {
  readonly move: M;
  /** Text that the model puts around its JSON; the gate does not remove it. */
  readonly wrap?: (json: string) => string;
  /** A line for the page: the event, and why it matters. */
  readonly caption: string;
  readonly ending: ScriptEnding;
}

/** A step of the script as the page shows it. */
export interface ScriptStep {
  /** The model's text, byte for byte. */
  readonly text: string;
  readonly caption: string;
  readonly ending: ScriptEnding;
}

export function call(tool: string, args: JsonObject, goal: string): ScriptMove {
  return { kind: 'call', tool, args, goal };
}

export function finish(message: string): ScriptMove {
  return { kind: 'finish', message };
}

/** A move in the form of its dialect, with the text that the model puts around it. */
export function stepIn<M>(form: (move: M) => unknown): (one: ScriptedMove<M>) => ScriptStep {
  return ({ move, wrap, caption, ending }) => {
    const json = JSON.stringify(form(move));
    return { text: wrap?.(json) ?? json, caption, ending };
  };
}

/** XCT 3.1 and 3.2; FemtoClaw Protocol 5 and 6. */
export const FORMS: { readonly [D in Exclude<Dialect, 'catalytic'>]: (move: ScriptMove) => unknown } = {
  xct: (move) =>
    move.kind === 'finish'
      ? { done: true, message: move.message }
      : { next_step: { tool: move.tool, arguments: move.args, goal: move.goal } },
  femtoclaw: (move) =>
    move.kind === 'finish'
      ? { message: { content: move.message } }
      : { tool_call: { tool: move.tool, args: move.args } },
};
