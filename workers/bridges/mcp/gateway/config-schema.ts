import { AUTHOR_TERM_NAMES, GRANT_TERMS } from '../../../../core/capability/grant-terms.ts';
import { RUN_LIMIT_ROWS } from '../../../../core/limits.ts';
import type { ConfigSchema } from './config-check.ts';

const EFFECT = { enum: ['pure', 'read', 'write', 'egress'] } as const;
const LABELS = { type: 'array', items: { enum: ['private', 'untrusted'] } } as const;
const TEXT = { type: 'string', minLength: 1 } as const;
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;
const FLAG = { type: 'boolean' } as const;

const TOOL = {
  type: 'object',
  description: 'Terms of a single tool. They replace the terms of its server.',
  additionalProperties: false,
  properties: {
    effect: { ...EFFECT, description: 'What a call may do to the world.' },
    labels: { ...LABELS, description: 'Marks of the data that a call returns.' },
    enabled: { ...FLAG, description: 'False: the tool is not offered.' },
  },
} as const;

const SERVER = {
  type: 'object',
  description: 'A server, as hosts configure it, with the terms of its tools.',
  additionalProperties: false,
  oneOf: [{ required: ['command'] }, { required: ['url'] }],
  properties: {
    type: { enum: ['stdio', 'http', 'streamable-http'], description: 'Taken for hosts that write it.' },
    command: { ...TEXT, description: 'Program of a server that is a child process.' },
    args: { type: 'array', items: { type: 'string' } },
    cwd: TEXT,
    env: { ...TEXTS, description: 'Variables of the child. A value names a key as ${NAME}.' },
    url: { type: 'string', pattern: '^https?://', description: 'Address of a server behind streamable HTTP.' },
    headers: { ...TEXTS, description: 'Headers of each request. A value names a key as ${NAME}.' },
    disabled: { ...FLAG, description: 'True: the server is not started.' },
    prefix: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      description: 'Word before the names of its tools; absent: the name of the server.',
    },
    effect: { ...EFFECT, description: 'Effect of its tools; absent: egress.' },
    labels: { ...LABELS, description: 'Labels of its tools; absent: private and untrusted.' },
    trustHints: { ...FLAG, description: 'True: the hints of the server decide about the effects of its tools.' },
    timeoutMs: COUNT,
    resources: { ...FLAG, description: 'True: tools list and read its resources.' },
    prompts: { ...FLAG, description: 'True: tools list and read its prompts.' },
    tools: {
      type: 'object',
      description: 'Terms by the name of a tool, without its prefix.',
      additionalProperties: TOOL,
    },
  },
} as const;

/** The caller of a session proposes: limits of the requests to a model do not concern it. */
const CALLER_LIMITS = Object.entries(RUN_LIMIT_ROWS).flatMap(([name, { caller }]) => (caller ? [name] : []));

const GRANT = {
  type: 'object',
  description: 'A standing answer about a tool.',
  additionalProperties: false,
  required: ['tool', 'mode'],
  properties: {
    tool: { ...TEXT, description: 'Name of the tool with its prefix, for example files.read_file.' },
    ...Object.fromEntries(
      AUTHOR_TERM_NAMES.flatMap((name) => {
        const { schema } = GRANT_TERMS[name].written;
        return schema === undefined ? [] : [[name, schema]];
      }),
    ),
    definition: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'Hash of the definition that the grant is for. Absent: the pinned definition.',
    },
  },
} as const;

const DECLARED = {
  type: 'object',
  description: 'What a tool does, in the words of a person who knows it. Remove the entry to take it back.',
  additionalProperties: false,
  required: ['tool', 'effect', 'definition'],
  properties: {
    tool: { ...TEXT, description: 'Name of the tool with its prefix.' },
    effect: { ...EFFECT, description: 'What a call may do to the world. A stricter hint of the server counts.' },
    definition: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'Hash of the definition that it is said of.',
    },
  },
} as const;

/** The configuration of `sallyport mcp` as a JSON Schema, published as `sallyport/mcp.schema.json`. */
export const CONFIG_SCHEMA: ConfigSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of sallyport mcp',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    mcpServers: {
      type: 'object',
      description: 'The servers behind the gate, by name.',
      propertyNames: { pattern: '^[A-Za-z0-9 ._-]{1,64}$' },
      additionalProperties: SERVER,
    },
    grants: { type: 'array', items: GRANT },
    effects: { type: 'array', items: DECLARED },
    limits: {
      type: 'object',
      description: 'Limits of a run.',
      additionalProperties: false,
      properties: Object.fromEntries(CALLER_LIMITS.map((name) => [name, COUNT])),
    },
    guard: { ...FLAG, description: 'False: the guard for private and untrusted content is off.' },
  },
};
