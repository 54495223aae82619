import type { ModelRequest } from '../../api.ts';
import { type AnswerReading, type Completion, readCompletion } from './completion.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointFailure } from './failure.ts';
import type { ResponseFormat } from './presets.ts';
import { answerOf, bodyOf, type RequestForm } from './request-body.ts';

export interface Probe {
  readonly responseFormat: ResponseFormat;
  /** Answer to each form that was tried: an HTTP status, and the model's text. */
  readonly answers: readonly {
    readonly responseFormat: ResponseFormat;
    readonly http: number;
    readonly text?: string;
  }[];
}

/** Asks for one of two tiny objects: a schema of proposals has alternatives at its root, which some servers refuse. */
const QUESTION: ModelRequest = {
  messages: [{ role: 'user', kind: 'task', content: 'Answer with the JSON object {"ok":true} and nothing else.' }],
  dialect: 'xct',
  tools: [],
  proposalSchema: { oneOf: ['ok', 'done'].map(only) },
  maxTokens: 64,
};

function only(name: string) {
  const properties = { [name]: { const: true } };
  return { type: 'object', properties, required: [name], additionalProperties: false };
}

const FORMATS = ['json_schema', 'openai-strict', 'json_object'] as const;

/** The strictest form that the model's answer follows. A server refuses a form by its status; that is no failure. */
export async function probe(
  endpoint: Endpoint,
  known: RequestForm,
  reading: AnswerReading,
  signal?: AbortSignal,
): Promise<Probe> {
  const answers: Probe['answers'][number][] = [];
  for (const responseFormat of FORMATS) {
    const form: RequestForm = { ...known, tools: 'json', responseFormat };
    const response = await endpoint.ask('/chat/completions', bodyOf(QUESTION, form), signal);
    if (response.status === 401 || response.status === 403)
      throw endpointFailure('status', { status: response.status });
    const answer = response.ok ? answerOf(await readCompletion(response, reading), QUESTION, form) : undefined;
    if (answer === undefined) await response.body?.cancel();
    answers.push({ responseFormat, http: response.status, ...textOf(answer) });
    if (answer !== undefined && keepsTo(responseFormat, answer)) return { responseFormat, answers };
  }
  return { responseFormat: 'none', answers };
}

function textOf(answer: Completion | undefined): { readonly text?: string } {
  return typeof answer?.text === 'string' ? { text: answer.text } : {};
}

function keepsTo(format: ResponseFormat, { text }: Completion): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value = JSON.parse(text) as unknown;
    return format === 'json_object'
      ? typeof value === 'object' && value !== null
      : JSON.stringify(value) === '{"ok":true}';
  } catch {
    return false;
  }
}
