import { isObject, type JsonObject } from '../../../core/json/value.ts';
import { isJson, valueOf } from '../../../core/protocol/call-text.ts';
import { relaxSchema } from '../../../core/schema/relax/relax.ts';
import type { ModelRequest } from '../../api.ts';
import type { ChatAnswer, Completion } from './completion.ts';
import { isNative, nativeAnswer, nativeBody } from './native-tools.ts';
import type { ServerPreset } from './presets.ts';
import { type DataOwner, providerDataOf } from './returned.ts';
import { strictForm, WRAPPER } from './strict-schema.ts';

/** The form of requests to a server. */
export interface RequestForm
  extends DataOwner,
    Pick<ServerPreset, 'tools' | 'responseFormat' | 'decoder' | 'bound' | 'without'> {
  readonly model: string;
  /** Members of the program's own, for example `temperature`. */
  readonly body?: object | undefined;
}

export function bodyOf(request: ModelRequest, form: RequestForm, streamed?: 'streamed'): JsonObject {
  const { model, tools, bound = 'max_tokens', without = [], body = {} } = form;
  const { maxTokens, seed } = request;
  const all = {
    ...(body as JsonObject),
    model,
    ...(isNative(request, tools) ? nativeBody(request, form) : plainBody(request, form)),
    [bound]: maxTokens,
    ...(seed !== undefined && { seed }),
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  };
  const isLeft = (name: string): boolean => !Object.hasOwn(body, name) || (body as JsonObject)[name] !== undefined;
  const left = Object.entries(all).filter(([name]) => isLeft(name) && !(without as readonly string[]).includes(name));
  return Object.fromEntries(left);
}

/** Members that only help, so that a server which refuses them can be asked without. */
const HELPFUL = ['parallel_tool_calls', 'stream_options'] as const;

/**
 * The form without the member that a server's refusal names; undefined where it names none of those that were sent. A
 * reasoning model of OpenAI refuses `max_tokens` and names the member in its place.
 */
export function withoutRefused(form: RequestForm, sent: JsonObject, said: string): RequestForm | undefined {
  const names = (name: string): boolean => Object.hasOwn(sent, name) && new RegExp(`\\b${name}\\b`).test(said);
  if (names('max_tokens') && said.includes('max_completion_tokens')) return { ...form, bound: 'max_completion_tokens' };
  const refused = HELPFUL.filter(names);
  return refused.length === 0 ? undefined : { ...form, without: [...(form.without ?? []), ...refused] };
}

function plainBody({ messages, proposalSchema }: ModelRequest, form: RequestForm): JsonObject {
  return { messages: messages.map(({ role, content }) => ({ role, content })), ...formatOf(form, proposalSchema) };
}

function formatOf({ responseFormat: format, decoder }: RequestForm, given: JsonObject): JsonObject {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: format } };
  const schema = decoder === undefined ? given : relaxSchema(given, decoder).schema;
  const form = format === 'openai-strict' ? strictForm(given) : { schema, strict: true };
  return { response_format: { type: 'json_schema', json_schema: { name: 'proposal', ...form } } };
}

/** The model's text as a proposal, out of the form in which it was asked. */
export function answerOf(answer: ChatAnswer, request: ModelRequest, form: RequestForm): Completion {
  const { calls: _, beside: __, ...facts } = answer;
  if (!isNative(request, form.tools))
    return form.responseFormat === 'openai-strict' ? { ...facts, text: unwrapped(facts.text) } : facts;
  const completion = nativeAnswer(answer, request);
  const providerData = providerDataOf(answer, completion, request, form);
  return { ...completion, ...(providerData !== undefined && { providerData }) };
}

/** The proposal in the member that strict mode wraps it in; another text unchanged. */
export function unwrapped(text: string | Uint8Array): string | Uint8Array {
  if (typeof text !== 'string' || !isJson(text)) return text;
  const value = JSON.parse(text) as unknown;
  const isWrapped = isObject(value) && Object.keys(value).join() === WRAPPER;
  return (isWrapped ? valueOf(text.trim(), WRAPPER) : undefined) ?? text;
}
