import type { JsonValue } from '../json/value.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Proposal } from './proposal.ts';
import { closed, record, text, topLevel } from './shape.ts';

const AT = { name: '/tool_call/tool', args: '/tool_call/args' } as const;

/**
 * `{"message":{"content"}}` or `{"tool_call":{"tool","args"}}`, each closed.
 *
 * @see FemtoClaw Protocol 4, 5.2, 6.2 and 10, steps 2 and 3
 */
export function parseFemtoclaw(value: JsonValue): Outcome<Proposal> {
  const top = topLevel(value, ['message', 'tool_call'], []);
  if (!top.ok) return top;
  const { object, form } = top.value;
  return form === 'message' ? say(object['message'] as JsonValue) : call(object['tool_call'] as JsonValue);
}

/** An empty `content` is accepted: the specification gives no lower bound and tells the runtime to accept. */
function say(value: JsonValue): Outcome<Proposal> {
  const message = closed(value, '/message', ['content']);
  if (!message.ok) return message;
  const content = text(message.value, 'content', '/message');
  return content.ok ? pass({ kind: 'say', content: content.value }) : content;
}

function call(value: JsonValue): Outcome<Proposal> {
  const toolCall = closed(value, '/tool_call', ['tool', 'args']);
  if (!toolCall.ok) return toolCall;
  const name = text(toolCall.value, 'tool', '/tool_call');
  if (!name.ok) return name;
  const args = record(toolCall.value, 'args', '/tool_call');
  return args.ok ? pass({ kind: 'call', name: name.value, args: args.value, at: AT }) : args;
}
