import ajv2020, { type Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalText, lint } from '../../core/index.ts';
import { FORMATS } from '../../core/schema/formats.ts';
import { createEngine, SchemaChecker, SchemaCompiler } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import { REGISTERED } from './adding.ts';
import { must } from './must.ts';
import { calls, race } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const ITEMS = {
  type: 'object',
  required: ['title', 'items'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 100 },
    items: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['id', 'name', 'kind'],
        additionalProperties: false,
        properties: {
          id: { type: 'integer', minimum: 0 },
          name: { type: 'string', pattern: '^[a-z][a-z0-9 ]*$', maxLength: 50 },
          kind: { enum: ['bread', 'cake', 'roll'] },
          tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        },
      },
    },
  },
} as const;

const TWO = { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' }, b: { type: 'number' } } };
const MAIL = {
  type: 'object',
  required: ['to', 'subject', 'body'],
  additionalProperties: false,
  properties: {
    to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1, maxItems: 10 },
    subject: { type: 'string', minLength: 1, maxLength: 100 },
    body: { type: 'string', maxLength: 1000 },
    when: { type: 'string', format: 'date-time' },
  },
};

const KINDS = ['bread', 'cake', 'roll'];
export const CASES = [
  { name: 'two numbers', schema: TWO, value: { a: 1, b: 2 } },
  {
    name: 'a mail',
    schema: MAIL,
    value: {
      to: ['mia@bakery.example', 'jo@bakery.example'],
      subject: 'Flour for Saturday',
      body: 'We need 40 kg of rye and 25 kg of wheat.',
      when: '2026-11-21T08:00:00Z',
    },
  },
  { name: 'three members', schema: REGISTERED.definition.args, value: REGISTERED.args(7) },
  {
    name: 'twenty objects',
    schema: ITEMS,
    value: {
      title: 'Tomorrow',
      items: Array.from({ length: 20 }, (_, id) => ({
        id,
        name: `loaf number ${id}`,
        kind: KINDS[id % 3],
        tags: ['a', 'b'],
      })),
    },
  },
];

/** A validator of a stranger's schema, in a QuickJS realm that starts from the identical heap each time. */
export async function schema(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  const compiler = new SchemaCompiler(engine, SCHEMA_COMPILER);
  const rows: Row[] = [];
  for (const { name, schema, value } of CASES) {
    const linted = must(lint(schema));
    const checker = new SchemaChecker(engine, SCHEMA_CHECKER, [must(compiler.compile(linted))]);
    const text = canonicalText(value);
    const check = () => {
      const checked = checker.check(linted.hash, text);
      if (!('issues' in checked) || checked.issues.length > 0) throw new Error(`${name} is not accepted`);
      return checked;
    };
    const sides = [
      calls('realm', check),
      calls('JSON.parse of the text', () => JSON.parse(text) as unknown),
      calls('ajv in the host, which needs unsafe-eval', inHost(schema, text)),
    ];
    rows.push(...rowsOf(`run-time schema, ${name} (${text.length} B)`, await race(sides, rounds), { us: 100 }));
  }
  return rows;
}

/** The usual way: ajv compiled with `new Function`, on the parsed text, without a limit of any kind. */
function inHost(checked: object, text: string): () => unknown {
  const Ajv = (ajv2020 as unknown as { readonly default?: typeof Ajv2020 }).default ?? ajv2020;
  const ajv = new Ajv({ allErrors: true, ownProperties: true, strict: false, formats: FORMATS });
  const validate = ajv.compile(checked);
  return () => {
    if (!validate(JSON.parse(text))) throw new Error('not accepted');
  };
}
