import type { ModelMessage, ModelRequest } from '../../../api.ts';
import type { Mark, SmallTokens } from './tokens.ts';

/** Characters of each part of a prompt at most. */
const PROMPT_LIMITS = { task: 200, text: 70, result: 130, error: 90, proposal: 300 } as const;
/** Tokens of a prompt at most: the model was trained on prompts with their answers up to 448. */
const PROMPT_TOKENS = 420;

/** A part of a prompt. */
export interface Turn {
  readonly kind: Extract<Mark, 'task' | 'call' | 'result' | 'error'>;
  readonly text: string;
}

/** The newest task of a request, and the proposals and replies since, each of them shortened. */
export function turnsOf(messages: readonly ModelMessage[]): readonly Turn[] {
  const from = messages.findLastIndex(({ kind }) => kind === 'task');
  return messages.slice(Math.max(from, 0)).flatMap((message) => turnOf(message) ?? []);
}

function turnOf({ kind, content }: ModelMessage): Turn | undefined {
  if (kind === 'task') return { kind, text: cut(line(content), PROMPT_LIMITS.task) };
  if (kind === 'proposal') return { kind: 'call', text: content.slice(0, PROMPT_LIMITS.proposal) };
  return kind === 'observation' ? observed(content) : undefined;
}

/** Tokens of a request. Where there are too many, the oldest proposals go first with their replies, the task never. */
export function promptOf(
  tokens: SmallTokens,
  dialect: ModelRequest['dialect'],
  turns: readonly Turn[],
): readonly number[] {
  const first = tokens.mark(dialect === 'xct' ? 'xct' : 'femtoclaw');
  const parts = turns.map((turn) => tokensOf(tokens, turn));
  const count = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  while (parts.length > 2 && count() > PROMPT_TOKENS) parts.splice(1, 2);
  return [first, ...parts.flat(), tokens.mark('call')];
}

function tokensOf(tokens: SmallTokens, { kind, text }: Turn): readonly number[] {
  const mark = tokens.mark(kind);
  return kind === 'call' ? [mark, ...tokens.proposal(text), 0] : [mark, ...tokens.characters(text)];
}

/** A reply of the runtime: `key=value` of a result, or code and first sentence of an error. */
function observed(content: string): Turn {
  const { status, result, message, details } = objectOf(content);
  if (status === 'success') return { kind: 'result', text: flatten(result) };
  const { code, error } = Object(details) as Members;
  const thrown = Object(error) as Members;
  const said = [thrown['message'], message, content].find((text) => typeof text === 'string');
  return { kind: 'error', text: errorText(typeof code === 'string' ? code : 'error', said ?? content) };
}

function objectOf(content: string): { readonly [name: string]: unknown } {
  try {
    return Object(JSON.parse(content)) as { readonly [name: string]: unknown };
  } catch {
    return {};
  }
}

export function errorText(code: string, message: string): string {
  const sentence = line(message).split('. ')[0] ?? '';
  return cut(`${code}: ${sentence.endsWith('.') ? sentence.slice(0, -1) : sentence}`, PROMPT_LIMITS.error);
}

/** `key=value` of every leaf: members by name, scalars before objects and lists; at most two items of a list. */
export function flatten(result: unknown): string {
  const parts: string[] = [];
  const walk = (key: string, value: unknown): void => {
    if (Array.isArray(value)) {
      if (value.length === 0) parts.push(`${key}=none`);
      for (const item of value.slice(0, 2)) walk(key, item);
    } else if (isObject(value)) for (const name of namesOf(value)) walk(name, value[name]);
    else parts.push(`${key}=${shortened(value)}`);
  };
  walk('result', result);
  return cut(parts.join(' '), PROMPT_LIMITS.result);
}

type Members = { readonly [name: string]: unknown };

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function namesOf(value: Members): readonly string[] {
  const names = Object.keys(value).sort();
  return [...names.filter((name) => !isObject(value[name])), ...names.filter((name) => isObject(value[name]))];
}

function shortened(value: unknown): string {
  if (typeof value === 'string') return cut(line(value), PROMPT_LIMITS.text);
  if (typeof value !== 'number' || Number.isInteger(value)) return String(JSON.stringify(value));
  // six digits, without an exponent
  const rounded = Number(value.toPrecision(6));
  const plain = String(rounded);
  return plain.includes('e') ? rounded.toFixed(12).replace(/0+$/, '') : plain;
}

/** White space becomes one space, and a double quote a single one: a proposal then copies it without escapes. */
function line(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('"', "'").replaceAll('\\', '/');
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : characters.slice(0, most).join('');
}
