import { describe, expect, test } from 'vitest';
import { fromFunctions } from '../../../../workers/bridges/models/functions.ts';

const OPEN = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
const CLOSED = { ...OPEN, additionalProperties: false } as const;
const run = (): null => null;
const codesOf = ({ refused }: ReturnType<typeof fromFunctions>) =>
  refused.map(({ name, refusal: { code, pointer } }) => [name, code, pointer]);

const SHAPES: readonly (readonly [shape: string, declaration: object])[] = [
  ['chat completions', { type: 'function', function: { name: 'get', description: 'Gets.', parameters: OPEN } }],
  ['responses', { type: 'function', name: 'get', description: 'Gets.', parameters: OPEN, strict: true }],
  ['Anthropic', { name: 'get', description: 'Gets.', input_schema: OPEN }],
  ['MCP', { name: 'get', description: 'Gets.', inputSchema: OPEN, annotations: { readOnlyHint: true } }],
  ['Gemini with JSON Schema', { name: 'get', description: 'Gets.', parametersJsonSchema: OPEN }],
  [
    'Gemini',
    {
      functionDeclarations: [
        {
          name: 'get',
          description: 'Gets.',
          parameters: { type: 'OBJECT', properties: { id: { type: 'STRING' } }, required: ['id'] },
        },
      ],
    },
  ],
];

describe('tools of function declarations', () => {
  test.each(SHAPES)('a declaration in the shape of %s becomes a tool with closed arguments', (_, declaration) => {
    const { tools, refused, names } = fromFunctions([declaration], run);
    expect(refused).toEqual([]);
    expect(tools).toMatchObject([{ name: 'get', description: 'Gets.', version: '0.0.0', args: CLOSED }]);
    expect([...names]).toEqual([['get', 'get']]);
  });

  test('a tool has the strictest effect and both labels unless the program says otherwise', () => {
    const list = ['a', 'b', 'c'].map((name) => ({ name, inputSchema: OPEN, annotations: { readOnlyHint: true } }));
    const effect = (name: string) => (({ a: 'read', b: 'write' }) as const)[name];
    const { tools } = fromFunctions(list, run, {
      effect,
      labels: (name) => (name === 'b' ? ['untrusted'] : undefined),
    });
    const terms = tools.map((tool) => [tool.name, tool.effect, tool.labels]);
    expect(terms).toEqual([
      ['a', 'read', undefined],
      ['b', 'write', ['untrusted']],
      ['c', 'egress', ['private', 'untrusted']],
    ]);
  });

  test('the function that carries a tool out gets the declared name, the arguments and the context', async () => {
    const said: unknown[] = [];
    const options = { prefix: 'files', origin: 'mcp:https://a.example', version: '1.2.3', timeoutMs: 50 };
    const { tools } = fromFunctions([{ name: 'read/all', inputSchema: OPEN }], (...all) => said.push(all), options);
    const [tool] = tools;
    expect(tool).toMatchObject({ name: 'files.read_all', origin: options.origin, version: '1.2.3', timeoutMs: 50 });
    const io = { signal: new AbortController().signal, step_id: 's' };
    await tool?.run({ id: 'x' } as never, io);
    expect(said).toEqual([['read/all', { id: 'x' }, io]]);
  });

  test('a result of MCP stays open, and dropped annotations are named', () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number', 'x-unit': 'ms' } } };
    const { tools, dropped } = fromFunctions([{ name: 'a', inputSchema: OPEN, outputSchema }], run);
    expect(tools[0]?.result).toEqual({ type: 'object', properties: { n: { type: 'number' } } });
    expect(dropped).toEqual(['/0/outputSchema/properties/n/x-unit']);
  });

  test('schemas of Gemini are read at every depth, and data in them is unchanged', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        type: { type: 'STRING', enum: ['STRING'], nullable: true },
        list: { type: 'ARRAY', minItems: '1', items: { anyOf: [{ type: 'INTEGER' }, { type: 'BOOLEAN' }] } },
      },
    };
    const { tools } = fromFunctions([{ function_declarations: [{ name: 'a', parameters }] }], run);
    expect(tools[0]?.args).toMatchObject({
      type: 'object',
      properties: {
        type: { type: ['string', 'null'] },
        list: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } },
      },
    });
  });

  test('a declaration without parameters takes an empty object only', () => {
    const { tools } = fromFunctions([{ type: 'function', function: { name: 'now' } }, { name: 'then' }], run);
    const none = { type: 'object', properties: {}, additionalProperties: false };
    expect(tools.map(({ args }) => args)).toEqual([none, none]);
  });
});

describe('hostile declarations', () => {
  test('a declaration that cannot be taken is refused with its place, and the others are taken', () => {
    const cycle: { [name: string]: unknown } = { name: 'cycle', inputSchema: OPEN };
    cycle['inputSchema'] = { type: 'object', properties: { cycle } };
    const list = [
      { name: 'good', inputSchema: OPEN },
      cycle,
      { name: 'draft', inputSchema: { $schema: 'https://example.com/own', type: 'object' } },
      { name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } },
      { name: 'long', description: 'x'.repeat(16_385), inputSchema: OPEN },
      { name: '', inputSchema: OPEN },
      { name: 7, inputSchema: OPEN },
      { name: 'text', inputSchema: 'object' },
      { type: 'web_search_20250305', name: 'web_search' },
      { functionDeclarations: [{ name: 'inner', parameters: { type: 'NOTHING' } }] },
      { googleSearch: {} },
      { name: '\ud800', inputSchema: OPEN },
      null,
      'good',
    ] as readonly object[];
    const made = fromFunctions(list, run);
    expect(made.tools.map(({ name }) => name)).toEqual(['good']);
    expect(codesOf(made)).toEqual([
      [undefined, 'definition_invalid', '/1'],
      ['draft', 'schema_refused', '/2/inputSchema/$schema'],
      ['huge', 'schema_too_large', '/3/inputSchema'],
      ['long', 'definition_invalid', '/4/description'],
      [undefined, 'definition_invalid', '/5/name'],
      [undefined, 'definition_invalid', '/6/name'],
      ['text', 'schema_refused', '/7/inputSchema'],
      [undefined, 'definition_invalid', '/8'],
      ['inner', 'schema_refused', '/9/functionDeclarations/0/parameters/type'],
      [undefined, 'definition_invalid', '/10'],
      [undefined, 'definition_invalid', '/11'],
      [undefined, 'definition_invalid', '/12'],
      [undefined, 'definition_invalid', '/13'],
    ]);
  });

  test('of two declarations with a name the second is refused', () => {
    const made = fromFunctions(
      [
        { name: 'a', inputSchema: OPEN },
        { name: 'a', inputSchema: { type: 'object' } },
      ],
      run,
    );
    expect(made.tools.map(({ args }) => args)).toEqual([CLOSED]);
    expect(codesOf(made)).toEqual([['a', 'capability_twice', '/1']]);
  });

  test('__proto__ is a name like any other, and refused as a property', () => {
    const named = { name: '__proto__', inputSchema: OPEN };
    const text = '{"name":"a","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}';
    const inherited = Object.create(named) as object;
    const made = fromFunctions([named, JSON.parse(text) as object, inherited], run);
    expect([...made.names]).toEqual([['__proto__', '__proto__']]);
    expect(made.tools.map(({ name }) => name)).toEqual(['__proto__']);
    expect(codesOf(made)).toEqual([
      ['a', 'schema_refused', '/1/inputSchema/properties/__proto__'],
      [undefined, 'definition_invalid', '/2'],
    ]);
  });

  test('a table of the program that knows a name from its prototype refuses the tool', () => {
    const table: { readonly [name: string]: 'read' } = { a: 'read' };
    const made = fromFunctions([{ name: 'constructor', inputSchema: OPEN }], run, { effect: (name) => table[name] });
    expect(codesOf(made)).toEqual([['constructor', 'definition_invalid', '/0']]);
  });

  test('a getter runs once, and a declaration that throws when it is read is refused', () => {
    let reads = 0;
    const once = {
      inputSchema: OPEN,
      get name() {
        return reads++ === 0 ? 'first' : 'later';
      },
    };
    const throws = {
      get name() {
        throw new Error('no');
      },
    };
    const made = fromFunctions([once, throws], run);
    expect(made.tools.map(({ name }) => name)).toEqual(['first']);
    expect(codesOf(made)).toEqual([[undefined, 'definition_invalid', '/1']]);
  });

  test('a thousand names that are spelled alike become a thousand names', () => {
    const given = Array.from({ length: 1000 }, (_, nth) => `${'é'.repeat(80)}${nth}`);
    const { tools, names, refused } = fromFunctions(
      given.map((name) => ({ name, inputSchema: OPEN })),
      run,
      { prefix: 'a' },
    );
    expect(refused).toEqual([]);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(1000);
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    expect([...names.keys()]).toEqual(given);
  });

  test('a name that needs no change is not taken by a name that does', () => {
    const list = ['a/b', 'a_b', '.', '..', ' '].map((name) => ({ name, inputSchema: OPEN }));
    expect(Object.fromEntries(fromFunctions(list, run).names)).toEqual({
      'a/b': 'a_b_2',
      a_b: 'a_b',
      '.': '_',
      '..': '__2',
      ' ': '__3',
    });
  });

  test('an option or argument of a wrong type throws', () => {
    const code = 'option_invalid';
    const wrong =
      (...given: readonly unknown[]) =>
      () =>
        fromFunctions(...(given as Parameters<typeof fromFunctions>));
    expect(wrong({}, run)).toThrow(expect.objectContaining({ code }));
    expect(wrong([], 'run')).toThrow(expect.objectContaining({ code }));
    for (const prefix of ['', '.a', 'a.', 'a b', 'x'.repeat(33)])
      expect(wrong([], run, { prefix })).toThrow(expect.objectContaining({ code }));
    expect(wrong([], run, { timeout: 1 })).toThrow(expect.objectContaining({ code }));
  });
});
