import { canonicalText, lint } from '../../core/index.ts';
import { createEngine, SCHEMA_CHECKER, SchemaChecker, SchemaCompiler } from '../../sandbox/index.ts';
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

const KINDS = ['bread', 'cake', 'roll'];
const CASES = [
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
    const sides = [calls('realm', check), calls('JSON.parse of the text', () => JSON.parse(text) as unknown)];
    rows.push(...rowsOf(`run-time schema, ${name} (${text.length} B)`, await race(sides, rounds), { us: 100 }));
  }
  return rows;
}
