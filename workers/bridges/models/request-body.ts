import { isObject, type JsonObject } from '../../../core/json/value.ts';
import { isJson, valueOf } from '../../../core/protocol/call-text.ts';
import { relaxSchema } from '../../../core/schema/relax/relax.ts';
import type { ModelRequest } from '../../api.ts';
import type { ChatAnswer, Completion } from './completion.ts';
import { isNative, nativeAnswer, nativeBody } from './native-tools.ts';
import type { ServerPreset } from './presets.ts';
import { strictForm, WRAPPER } from './strict-schema.ts';

/** The form of requests to a server. */
export interface RequestForm extends Pick<ServerPreset, 'tools' | 'responseFormat' | 'decoder' | 'bound' | 'without'> {
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
    ...(isNative(request, tools) ? nativeBody(request) : plainBody(request, form)),
    [bound]: maxTokens,
    ...(seed !== undefined && { seed }),
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  };
  const left = Object.entries(all).filter(([name]) => !(without as readonly string[]).includes(name));
  return Object.fromEntries(left);
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
export function answerOf({ calls, ...answer }: ChatAnswer, request: ModelRequest, form: RequestForm): Completion {
  if (isNative(request, form.tools)) return nativeAnswer({ ...answer, ...(calls && { calls }) }, request);
  return form.responseFormat === 'openai-strict' ? { ...answer, text: unwrapped(answer.text) } : answer;
}

/** The proposal in the member that strict mode wraps it in; another text unchanged. */
export function unwrapped(text: string | Uint8Array): string | Uint8Array {
  if (typeof text !== 'string' || !isJson(text)) return text;
  const value = JSON.parse(text) as unknown;
  const isWrapped = isObject(value) && Object.keys(value).join() === WRAPPER;
  return (isWrapped ? valueOf(text.trim(), WRAPPER) : undefined) ?? text;
}
