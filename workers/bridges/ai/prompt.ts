import { decode } from '../../../core/json/decode.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { ModelMessage, ModelRequest } from '../../api.ts';
import { type CallDialect, namesOf, OPENING, spokenIn } from '../models/native-tools.ts';
import { openAIFunction } from '../models/shapes.ts';
import { strictForm } from '../models/strict-schema.ts';
import type { ToolNames } from '../models/tool-names.ts';
import type { AiMessage } from './model.ts';

/** Options of a call to a language model, without the options that every request has. */
interface RequestContent {
  readonly prompt: readonly AiMessage[];
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
  readonly responseFormat?: object;
}

/** A request for proposals that are calls of the provider's own tools. */
export function nativeRequest({ messages, tools, dialect }: ModelRequest & { dialect: CallDialect }): RequestContent {
  const names = namesOf({ tools });
  const prompt = messages.map((message, at) =>
    nativeMessage(message, messages[at - 1], messages[at + 1], dialect, names),
  );
  if (tools.length === 0) return { prompt };
  const list = tools.map((tool) => {
    const { name, description, parameters } = openAIFunction(tool, names.theirs(tool.name)).function;
    return { type: 'function', name, description, inputSchema: parameters };
  });
  return { prompt, tools: list, toolChoice: { type: 'auto' } };
}

/**
 * A request for JSON text. Providers hold their models to a schema by different rules, so the schema has the form that
 * the strictest of them takes: an object with the proposal as its only member.
 */
export function jsonRequest({ messages, proposalSchema }: ModelRequest): RequestContent {
  const { schema } = strictForm(proposalSchema);
  const prompt = messages.map(({ role, content }) => messageOf(role, content));
  return { prompt, responseFormat: { type: 'json', schema, name: 'proposal' } };
}

function messageOf(role: ModelMessage['role'], content: string): AiMessage {
  return role === 'system' ? { role, content } : { role, content: [{ type: 'text', text: content }] };
}

/**
 * A message as the SDK knows it. A call needs its answer behind it, and arguments that can be parsed without loss; the
 * provider gets any other call as text.
 */
function nativeMessage(
  { role, kind, content, call }: ModelMessage,
  before: ModelMessage | undefined,
  after: ModelMessage | undefined,
  dialect: CallDialect,
  names: ToolNames,
): AiMessage {
  if (kind === 'opening') return messageOf(role, OPENING);
  const neighbour = kind === 'proposal' ? after : before;
  if (call !== undefined && neighbour?.call?.id === call.id) {
    const args = decode(encodeText(call.args));
    const told = { toolCallId: call.id, toolName: names.theirs(call.name) };
    if (args.ok && kind === 'proposal')
      return { role: 'assistant', content: [{ type: 'tool-call', ...told, input: JSON.parse(call.args) as unknown }] };
    if (args.ok)
      return { role: 'tool', content: [{ type: 'tool-result', ...told, output: { type: 'text', value: content } }] };
  }
  return messageOf(role, kind === 'proposal' ? (spokenIn(dialect, content) ?? content) : content);
}
