import type { JsonObject } from '../../core/json/value.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import type { ModelPort, ModelRequest } from '../api.ts';
import { fromScript, type ScriptItem } from '../bridges/models/script.ts';

/** A scripted model that keeps the request before each of its answers. */
export interface ScriptedModel extends ModelPort {
  readonly requests: readonly ModelRequest[];
}

export function scripted(items: Iterable<ScriptItem>): ScriptedModel {
  const requests: ModelRequest[] = [];
  const script = fromScript(items);
  return {
    ...script,
    requests,
    propose(request, io) {
      requests.push(request);
      return script.propose(request, io);
    },
  };
}

/** Well-formed proposals of a dialect, for scripts. */
export interface Proposals {
  call(tool: string, args: JsonObject, goal?: string): object;
  /** Ends the run: FemtoClaw's message, XCT's `done`. */
  finish(message: string): object;
}

const FORMS: { readonly [D in Exclude<Dialect, 'catalytic'>]: Proposals } = {
  xct: {
    call: (tool, args, goal = `call ${tool}`) => ({ next_step: { tool, arguments: args, goal } }),
    finish: (message) => ({ done: true, message }),
  },
  femtoclaw: {
    call: (tool, args) => ({ tool_call: { tool, args } }),
    finish: (content) => ({ message: { content } }),
  },
};

export function proposals(dialect: Exclude<Dialect, 'catalytic'> = 'xct'): Proposals {
  return FORMS[dialect];
}
