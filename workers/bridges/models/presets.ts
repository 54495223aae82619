import type { Decoder } from '../../../core/schema/relax/decoders.ts';

/**
 * Form in which the server is told the proposal's schema. It only helps the model: core decides. `openai-strict` is
 * `json_schema` by the rules of OpenAI's strict mode.
 */
export type ResponseFormat = 'json_schema' | 'openai-strict' | 'json_object' | 'none';

/** Servers whose address and form are known. */
export type ServerName =
  | ('ollama' | 'llama.cpp' | 'lm-studio' | 'vllm')
  | ('openai' | 'anthropic' | 'google' | 'mistral' | 'groq' | 'deepseek' | 'xai' | 'openrouter');

/** How a known server is asked. */
export interface ServerPreset {
  readonly baseUrl: string;
  /** OpenTelemetry's name of the provider, or the name of the server. */
  readonly provider: string;
  readonly tools: 'native' | 'json';
  readonly responseFormat: ResponseFormat;
  /** Program that holds the model to a schema, where it does not take every schema. */
  readonly decoder?: Decoder;
  /** Member that bounds the answer, where it is not `max_tokens`. */
  readonly bound?: 'max_completion_tokens';
  /** Members of a request that the server refuses. */
  readonly without?: readonly ('seed' | 'stream_options' | 'parallel_tool_calls')[];
  /**
   * `data`: the server demands its own data back with each call, for example a thought signature. A call whose data is no
   * longer known, for example after a reload, is told as text.
   */
  readonly returns?: 'data';
}

/** A server that holds its model to any schema: the constrained form is more reliable than calls. */
const constrained = (port: number, provider: string, decoder: Decoder = 'llama.cpp'): ServerPreset => ({
  baseUrl: `http://localhost:${port}/v1`,
  provider,
  tools: 'json',
  responseFormat: 'json_schema',
  decoder,
});

const hosted = (baseUrl: string, provider: string, more: Partial<ServerPreset> = {}): ServerPreset => ({
  baseUrl,
  provider,
  tools: 'native',
  responseFormat: 'json_object',
  ...more,
});

/** Known servers by their names: address and form, as their documentation has them. Options replace each. */
export const SERVER_PRESETS: { readonly [S in ServerName]: ServerPreset } = {
  ollama: constrained(11434, 'ollama'),
  'llama.cpp': constrained(8080, 'llama.cpp'),
  'lm-studio': constrained(1234, 'lm-studio'),
  vllm: constrained(8000, 'vllm', 'xgrammar'),
  openai: hosted('https://api.openai.com/v1', 'openai', {
    responseFormat: 'openai-strict',
    bound: 'max_completion_tokens',
  }),
  anthropic: hosted('https://api.anthropic.com/v1', 'anthropic', { responseFormat: 'none' }),
  google: hosted('https://generativelanguage.googleapis.com/v1beta/openai', 'gcp.gemini', {
    responseFormat: 'openai-strict',
    without: ['seed', 'parallel_tool_calls'],
    returns: 'data',
  }),
  mistral: hosted('https://api.mistral.ai/v1', 'mistral_ai', { without: ['seed', 'stream_options'] }),
  groq: hosted('https://api.groq.com/openai/v1', 'groq'),
  deepseek: hosted('https://api.deepseek.com/v1', 'deepseek', { returns: 'data' }),
  xai: hosted('https://api.x.ai/v1', 'x_ai', { responseFormat: 'openai-strict' }),
  openrouter: hosted('https://openrouter.ai/api/v1', 'openrouter'),
};
