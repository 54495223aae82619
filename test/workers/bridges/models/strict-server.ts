import type { Behaviour } from './server.ts';
import { DONE, JSON_TYPE, SSE, sendPieces } from './server.ts';

/** An answer of the model: text, or calls of tools whose arguments are sent as they stand here. */
interface StrictCall {
  readonly name: string;
  readonly args: string;
  /** Text before the call. */
  readonly said?: string;
}
export type StrictAnswer = string | readonly StrictCall[];

type Json = { readonly [name: string]: unknown };

const MEMBERS = [
  ...['model', 'messages', 'max_completion_tokens', 'seed', 'stream', 'stream_options', 'temperature'],
  ...['response_format', 'tools', 'parallel_tool_calls'],
];
const TYPES = ['string', 'number', 'boolean', 'integer', 'object', 'array', 'null'];
const KEYWORDS = [
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['description', 'title', 'pattern', 'format', 'minItems', 'maxItems'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
];
const ROOTLESS = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The first rule of OpenAI's documentation that a request breaks. */
export function strictFault(body: Json): string | undefined {
  const stray = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (stray !== undefined) return `Unsupported parameter: '${stray}'.`;
  const { tools, parallel_tool_calls: parallel, response_format: format, messages } = body;
  if (tools === undefined && parallel !== undefined)
    return "Invalid value for 'parallel_tool_calls': only allowed when 'tools' are specified.";
  return (
    toolsFault(tools as readonly Json[] | undefined) ?? formatFault(format as Json) ?? orderFault(messages as Json[])
  );
}

function toolsFault(tools: readonly Json[] = [{ type: 'function', function: { name: 'x' } }]): string | undefined {
  if (tools.length === 0 || tools.length > 128) return `Invalid 'tools': an array of length ${tools.length}.`;
  const names = tools.map(({ function: made }) => String((made as Json)['name']));
  if (new Set(names).size < names.length) return 'Tool names must be unique.';
  for (const { function: made } of tools) {
    const { name, description = '', parameters, strict } = made as Json;
    if (!NAME.test(String(name))) return `Invalid 'tools[0].function.name': '${String(name)}' does not match.`;
    if (String(description).length > 1024) return "Invalid 'description': string too long.";
    const fault = parameters === undefined ? undefined : schemaFault(parameters as Json, strict === true);
    if (fault !== undefined) return `Invalid schema for function '${String(name)}': ${fault}`;
  }
  return undefined;
}

function formatFault(format: Json | undefined): string | undefined {
  if (format?.['type'] !== 'json_schema') return undefined;
  const { name, schema, strict } = format['json_schema'] as Json;
  if (!NAME.test(String(name))) return "Invalid 'response_format.json_schema.name'.";
  const fault = schemaFault(schema as Json, strict === true);
  return fault && `Invalid schema for response_format 'proposal': ${fault}`;
}

function schemaFault(schema: Json, strict: boolean): string | undefined {
  if (schema['type'] !== 'object') return `schema must be a JSON Schema of 'type: "object"'.`;
  const combined = ROOTLESS.find((keyword) => keyword in schema);
  if (combined !== undefined) return `'${combined}' is not permitted at the top level.`;
  if (JSON.stringify(schema).includes('"oneOf":')) return "'oneOf' is not permitted.";
  return strict ? (ruleFault(schema, 1) ?? sizeFault(schema)) : undefined;
}

/** Strict mode: known keywords, closed objects whose members are all required, ten levels. */
function ruleFault(schema: Json, level: number): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.includes(keyword));
  if (unknown !== undefined) return `'${unknown}' is not permitted.`;
  const { type, properties = {}, required = [], items, anyOf = [], $defs = {}, $ref } = schema;
  if ($ref !== undefined) return Object.keys(schema).length > 1 ? '$ref cannot have keywords beside it.' : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (!('anyOf' in schema) && !types.every((each) => TYPES.includes(each as string)))
    return "schema must have a 'type' key.";
  if (level > 10) return 'more than 10 levels of nesting.';
  if (types.includes('object')) {
    if (schema['additionalProperties'] !== false) return "'additionalProperties' is required to be false.";
    const names = Object.keys(properties as Json);
    const left = names.find((name) => !(required as string[]).includes(name));
    if (schema['required'] === undefined || left !== undefined || (required as string[]).length > names.length)
      return `'required' must include every key in properties. Missing '${left}'.`;
  }
  if (types.includes('array') && items === undefined) return 'array schema missing items.';
  const inner = [...Object.values(properties as Json), ...(items === undefined ? [] : [items])];
  const deeper = inner.map((each) => ruleFault(each as Json, level + 1));
  const same = [...(anyOf as Json[]), ...Object.values($defs as Json)].map((each) => ruleFault(each as Json, level));
  return [...deeper, ...same].find((fault) => fault !== undefined);
}

function sizeFault(schema: Json): string | undefined {
  let [members, values, characters] = [0, 0, 0];
  JSON.stringify(schema, (_, value: unknown) => {
    const { properties, enum: list } = Object(value) as { properties?: object; enum?: unknown[] };
    if (typeof properties === 'object') {
      members += Object.keys(properties).length;
      characters += Object.keys(properties).join('').length;
    }
    if (Array.isArray(list)) {
      values += list.length;
      characters += list.join('').length;
    }
    return value;
  });
  if (members > 5000) return 'more than 5000 object properties.';
  if (values > 1000) return 'more than 1000 enum values.';
  return characters > 120_000 ? 'total string length exceeds 120000.' : undefined;
}

/** A call is followed by its answer, and an answer follows its call. */
function orderFault(messages: readonly Json[]): string | undefined {
  let open: string[] = [];
  for (const { role, tool_call_id: id, tool_calls: calls = [], content } of messages) {
    if (role === 'tool') {
      if (!open.includes(String(id))) return "messages with role 'tool' must follow 'tool_calls'.";
      open = open.filter((each) => each !== id);
    } else if (open.length > 0) return "an assistant message with 'tool_calls' must be followed by tool messages.";
    else if (content === null && (calls as unknown[]).length === 0) return "Invalid value for 'content': got null.";
    open.push(...(calls as { id: string }[]).map((call) => call.id));
  }
  return open.length > 0 ? 'An answer is missing.' : undefined;
}

/** Behaves as OpenAI's server does: it refuses a request that breaks a rule, and streams the next answer. */
export function strictBehaviour(answers: StrictAnswer[]): Behaviour {
  return async (response, { body }) => {
    const asked = JSON.parse(body) as Json;
    const message = strictFault(asked);
    if (message !== undefined) {
      const error = { message, type: 'invalid_request_error', param: null, code: null };
      return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error }));
    }
    const answer = answers.shift() ?? '';
    if (asked['stream'] !== true) return void response.writeHead(200, JSON_TYPE).end(whole(answer));
    response.writeHead(200, SSE);
    await sendPieces(response, typeof answer === 'string' ? said(answer) : called(answer));
    response.end(`${usage()}${DONE}`);
  };
}

function whole(content: StrictAnswer): string {
  return JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });
}

function said(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  const pieces = [text.slice(0, half), text.slice(half)];
  return [...pieces.map((content) => chunk({ content })), chunk({}, 'stop')];
}

/** The name comes with the first piece, and the arguments in pieces that are no JSON of their own. */
function called(calls: readonly StrictCall[]): string[] {
  const pieces = calls.flatMap(({ name, args }, index) => {
    const half = Math.ceil(args.length / 2);
    const first = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
    const rest = [args.slice(0, half), args.slice(half)].map((each) => ({ index, function: { arguments: each } }));
    return [first, ...rest].map((each) => chunk({ tool_calls: [each] }));
  });
  const before = calls.flatMap(({ said }) => (said === undefined ? [] : [chunk({ content: said })]));
  return [chunk({ role: 'assistant', content: null }), ...before, ...pieces, chunk({}, 'tool_calls')];
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

function usage(): string {
  return `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 5 } })}\n\n`;
}
