import { refuse } from '../errors.ts';
import { type JsonObject, type JsonValue, member } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Proposal } from './proposal.ts';
import { closed, kindOf, record, text, topLevel } from './shape.ts';

const AT = { name: '/next_step/tool', args: '/next_step/arguments' } as const;

/**
 * `{"next_step":{"tool","arguments","goal"}}` or `{"done":true,"message"}`, each closed, without optional members.
 *
 * @see XCT 3.1 and 3.2
 */
export function parseXct(value: JsonValue): Outcome<Proposal> {
  const isDone = typeof value === 'object' && value !== null && Object.hasOwn(value, 'done');
  const top = topLevel(value, ['next_step', 'done'], isDone ? ['message'] : []);
  if (!top.ok) return top;
  const { object, form } = top.value;
  return form === 'done' ? finish(object) : call(object['next_step'] as JsonValue);
}

function finish(object: JsonObject): Outcome<Proposal> {
  const done = member(object, 'done') as JsonValue;
  if (done !== true) {
    const got = typeof done === 'boolean' ? 'false' : kindOf(done);
    return refuse('wrong_type', { expected: 'true', got }, { step: 'form', pointer: '/done' });
  }
  const message = text(object, 'message', '');
  return message.ok ? pass({ kind: 'finish', message: message.value }) : message;
}

function call(value: JsonValue): Outcome<Proposal> {
  const next = closed(value, '/next_step', ['tool', 'arguments', 'goal']);
  if (!next.ok) return next;
  const name = text(next.value, 'tool', '/next_step');
  if (!name.ok) return name;
  const args = record(next.value, 'arguments', '/next_step');
  if (!args.ok) return args;
  const goal = text(next.value, 'goal', '/next_step');
  if (!goal.ok) return goal;
  return pass({ kind: 'call', name: name.value, args: args.value, at: AT, goal: goal.value });
}
