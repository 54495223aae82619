import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import { fromOpenAI } from '../../../../workers/bridges/models/openai.ts';
import {
  bodyOf,
  differences,
  openReported,
  outcomeOf,
  type ReportedInput,
  type ReportedResponse,
} from './reported-answers.ts';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openReported();
});
afterAll(() => runtime.close());

/** Waits of this length are silence here. */
const SHORT = { waitMs: 80, silenceMs: 40 };
const CUT = 'The answer ended before the model had finished.';
const REPORTED = 'The endpoint reported an error in the middle of its answer.';
const DONE = '[DONE]';
const NATIVE = { tools: 'native' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

const d = (delta: unknown, finish_reason: unknown = null, more: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const say = (text: string): ReportedResponse => ({ chunks: [d({ content: text }), d({}, 'stop'), DONE] });
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const END = say('It is 5.');
const five = { state: 'completed', message: 'It is 5.' };
const added = { ...five, steps: ['SUCCESS', 'SUCCESS'], calls: [['math.add', { a: 2, b: 3 }]] };
const ARGS = '{"a":2,"b":3}';

/** A call in pieces, then the end of the run. */
const pieces = (...all: unknown[]): readonly ReportedResponse[] => [
  { chunks: [...all.map((piece) => d({ tool_calls: [piece] })), d({}, 'tool_calls'), DONE] },
  END,
];
const made = (args: unknown, name: unknown = 'math_add', more: object = {}) => ({
  ...{ index: 0, id: 'a', type: 'function', function: { name, arguments: args } },
  ...more,
});
const more = (args: unknown, rest = {}) => ({ index: 0, function: { arguments: args }, ...rest });
const plain = (...chunks: unknown[]): readonly ReportedResponse[] => [{ chunks }];
const raw = (...texts: string[]): readonly ReportedResponse[] => [{ pieces: texts }];
const whole = (value: unknown, type: Record<string, string> = JSON_TYPE): ReportedResponse => ({
  headers: type,
  pieces: [typeof value === 'string' ? value : JSON.stringify(value)],
});
const message = (held: object, finish_reason: unknown = 'stop') => ({
  choices: [{ index: 0, message: held, finish_reason }],
});

type Row = readonly [kind: string, responses: readonly ReportedResponse[], expected: object, more?: object];

/** One row a kind, native calls unless the row says otherwise. */
const ROWS: readonly Row[] = [
  // half an answer is never whole
  ...['', ' ', 'null', 'None', 'unknown', 'error'].flatMap((word): Row[] => [
    [
      `finish "${word}" with each text`,
      plain(d({ content: 'Do not ' }, word), d({ content: 'delete ' }, word)),
      { waits: CUT },
    ],
    [
      `finish "${word}" behind a call that looks whole`,
      plain(d({ tool_calls: [made('{"text":"a"}', 'note_put')] }, word)),
      { waits: CUT, calls: [] },
    ],
    [
      `finish "${word}" until the last text`,
      plain(d({ content: 'It is ' }, word), d({ content: '5.' }, word), d({}, 'stop'), DONE),
      five,
    ],
  ]),
  ['half a text in femtoclaw', plain(d({ content: 'Do not ' }, '')), { waits: CUT }, { dialect: 'femtoclaw' }],
  ['half a JSON', plain(d({ content: '{"done":true,' }, '')), { waits: CUT }, { model: {} }],
  [
    'half a text and a broken connection',
    [{ chunks: [d({ content: 'Do not ' })], end: 'destroy' }],
    { waits: CUT, said: 'Do not' },
  ],
  ['half a text, and [DONE] without a reason', plain(d({ content: 'Do not ' }), DONE), { waits: CUT, said: 'Do not' }],
  [
    'half a call, and [DONE] without a reason',
    plain(d({ tool_calls: [made('{"text":"a"}', 'note_put')] }), DONE),
    { waits: CUT, calls: [] },
  ],
  [
    '[DONE] ends an answer of a server without reasons',
    plain(d({ content: 'It is 5.' }), DONE),
    five,
    { model: { ...NATIVE, finish: 'optional' } },
  ],
  [
    'a server without reasons is cut off without [DONE]',
    plain(d({ content: 'It is ' })),
    { waits: CUT },
    { model: { ...NATIVE, finish: 'optional' } },
  ],
  // absent is absent
  [
    'null for members of later pieces',
    pieces(made(''), { index: 0, id: null, type: null, function: { name: null, arguments: ARGS } }),
    added,
  ],
  ['null for the first arguments', pieces(made(null), more(ARGS)), added],
  [
    'null for the first name',
    pieces(made('', null), more('', { function: { name: 'math_add', arguments: ARGS } })),
    added,
  ],
  [
    'empty id and name in later pieces',
    pieces(made('{"a":2,'), { index: 0, id: '', function: { name: '', arguments: '"b":3}' } }),
    added,
  ],
  ['null for a function', pieces(made(ARGS), { index: 0, function: null }), added],
  [
    'null in the list of calls',
    [{ chunks: [d({ tool_calls: [null, made(ARGS)] }), d({}, 'tool_calls'), DONE] }, END],
    added,
  ],
  ['null for an index of a call', pieces(made(ARGS, 'math_add', { index: null })), added],
  [
    'a call as an object in the place of a list',
    [{ chunks: [d({ tool_calls: made(ARGS) }), d({}, 'tool_calls'), DONE] }, END],
    added,
  ],
  [
    'a call in the form of old servers',
    [
      {
        chunks: [
          d({ function_call: { name: 'math_add', arguments: '' } }),
          d({ function_call: { arguments: ARGS } }),
          d({}, 'function_call'),
          DONE,
        ],
      },
      END,
    ],
    added,
  ],
  [
    'null for every member of a delta',
    plain(
      d({ role: null, content: null, refusal: null, tool_calls: null, function_call: null, reasoning_content: null }),
      d({ content: 'It is 5.', tool_calls: null }),
      d({ content: null }, 'stop', { usage: null, error: null }),
      DONE,
    ),
    five,
  ],
  [
    'null for the index of a choice',
    plain({ choices: [{ index: null, delta: { content: 'It is 5.' }, finish_reason: null }] }, d({}, 'stop'), DONE),
    five,
  ],
  ['null in the list of choices', plain({ choices: [null] }, d({ content: 'It is 5.' }, 'stop'), DONE), five],
  [
    'no delta',
    plain({ choices: [{ index: 0 }] }, d({ content: 'It is 5.' }), { choices: [{ finish_reason: 'stop' }] }, DONE),
    five,
  ],
  ['a stream of one message', plain(message({ content: 'It is 5.' }), DONE), five],
  ...[[], null, undefined].flatMap((choices): Row[] => [
    [
      `usage with choices ${JSON.stringify(choices)}`,
      plain(
        d({ content: 'It is 5.' }),
        d({}, 'stop'),
        { choices, usage: { prompt_tokens: 1, completion_tokens: 2 } },
        DONE,
      ),
      five,
    ],
    [
      `usage null with choices ${JSON.stringify(choices)}`,
      plain(d({ content: 'It is 5.' }), { choices, usage: null }, d({}, 'stop'), DONE),
      five,
    ],
    [
      `a first chunk with choices ${JSON.stringify(choices)}`,
      plain({ choices, created: 0, id: '', model: '', object: '' }, d({ content: 'It is 5.' }, 'stop'), DONE),
      five,
    ],
  ]),
  [
    'usage in the choice',
    plain(
      {
        choices: [
          { delta: { content: 'It is 5.' }, finish_reason: 'stop', usage: { prompt_tokens: 1, completion_tokens: 2 } },
        ],
      },
      DONE,
    ),
    five,
  ],
  ...[
    'data: \n\n',
    'data:\n\n',
    ': ping\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: heartbeat\ndata: 2026-01-01 00:00:00\n\n',
    'data: {"type":"ping"}\n\n',
    'data: {}\n\n',
    'data: null\n\n',
    'data: ping\n\n',
    'data: 17\n\n',
    'event: keepalive\n\n',
    'id: 7\nretry: 10\n\n',
    '\n\n',
  ].map(
    (beat): Row => [
      `the heartbeat ${JSON.stringify(beat)}`,
      raw(beat, event(d({ content: 'It is ' })), beat, event(d({ content: '5.' }, 'stop')), beat, 'data: [DONE]\n\n'),
      five,
    ],
  ),
  ['[DONE] between blanks', raw(event(d({ content: 'It is 5.' }, 'stop')), 'data:   [DONE] \n\n'), five],
  [
    'events with a name of their own',
    raw(`event: chunk\n${event(d({ content: 'It is 5.' }))}`, `event: chunk\n${event(d({}, 'stop'))}`),
    five,
  ],
  [
    'a byte order mark, CR LF and comments',
    raw(
      '\ufeff: PROCESSING\r\n\r\n',
      event(d({ content: 'It is 5.' }, 'stop')).replaceAll('\n', '\r\n'),
      'data:[DONE]\r\n\r\n',
    ),
    five,
  ],
  [
    'content as parts, with thinking',
    plain(
      d({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      d({ content: [{ type: 'text', text: 'It is ' }, '5.'] }),
      d({ content: [] }, 'stop'),
      DONE,
    ),
    five,
  ],
  ['content as parts, whole', [whole(message({ content: [{ type: 'text', text: 'It is 5.' }] }))], five],
  ...['text/plain', 'application/octet-stream', 'application/x-ndjson', 'application/json', 'text/html'].map(
    (type): Row => [`a stream that is called ${type}`, [{ ...END, headers: { 'content-type': type } }], five],
  ),
  ['a stream without a content type', [{ ...END, headers: {} }], five],
  [
    'JSON that is called a stream',
    [whole(message({ content: 'It is 5.' }), { 'content-type': 'text/event-stream' })],
    five,
  ],
  ['JSON that is called a text', [whole(message({ content: 'It is 5.' }), { 'content-type': 'text/plain' })], five],
  // arguments
  ['arguments as an object', pieces(made({ a: 2, b: 3 })), added],
  [
    'arguments as an object, whole',
    [
      whole(
        message(
          { content: null, tool_calls: [{ function: { name: 'math_add', arguments: { a: 2, b: 3 } } }] },
          'tool_calls',
        ),
      ),
      END,
    ],
    added,
  ],
  [
    'an object whose number no double holds',
    [
      {
        pieces: [
          'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"math_add","arguments":{"a":9007199254740993,"b":3}}}]},"finish_reason":"tool_calls"}]}\n\n',
        ],
      },
      END,
    ],
    { steps: ['number_precision', 'SUCCESS'], calls: [] },
  ],
  [
    'an object that says a member twice',
    [
      {
        pieces: [
          'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"math_add","arguments":{"a":1,"a":2,"b":3}}}]},"finish_reason":"tool_calls"}]}\n\n',
        ],
      },
      END,
    ],
    { steps: ['duplicate_member', 'SUCCESS'], calls: [] },
  ],
  ...['', ' ', null, undefined].map(
    (args): Row => [
      `${JSON.stringify(args)} for a tool that takes none`,
      pieces(made(args, 'time_now')),
      { ...five, calls: [['time.now', {}]] },
    ],
  ),
  [
    'an empty text for a tool that takes some',
    pieces(made('')),
    { ...five, steps: ['arguments_schema', 'SUCCESS'], calls: [] },
  ],
  [
    'null for the arguments of a whole call',
    [
      whole(
        message(
          { content: null, tool_calls: [{ id: 'a', function: { name: 'time_now', arguments: null } }] },
          'tool_calls',
        ),
      ),
      END,
    ],
    { ...five, calls: [['time.now', {}]] },
  ],
  [
    'the name in two pieces',
    pieces(made('', 'math'), more('', { function: { name: '_add', arguments: '' } }), more(ARGS)),
    added,
  ],
  ['the name with each piece', pieces(made('{"a":2,'), made('"b":3}')), added],
  [
    'the name with each piece, without an id',
    pieces(made('{"a":2,', 'math_add', { id: null }), made('"b":3}', 'math_add', { id: null })),
    added,
  ],
  ['the id with the second piece', pieces(made('', 'math_add', { id: undefined }), more(ARGS, { id: 'a' })), added],
  ['another id with each piece', pieces(made('{"a":2,'), more('"b":3}', { id: 'tool-2' })), added],
  ['no index', pieces(made(ARGS, 'math_add', { index: undefined })), added],
  ['cumulative arguments', pieces(made('{"a":2,'), more(ARGS)), { steps: ['json_syntax', 'SUCCESS'], calls: [] }],
  ['arguments twice', pieces(made(`${ARGS}${ARGS}`)), { steps: ['json_syntax', 'SUCCESS'], calls: [] }],
  ['arguments encoded twice', pieces(made(JSON.stringify(ARGS))), { steps: ['wrong_type', 'SUCCESS'], calls: [] }],
  ['texts for numbers', pieces(made('{"a":"2","b":"3"}')), { steps: ['arguments_schema', 'SUCCESS'], calls: [] }],
  [
    'two calls',
    pieces(made(ARGS), made(ARGS, 'math_add', { index: 1, id: 'b' })),
    { ...five, steps: ['duplicate_member', 'SUCCESS'], calls: [] },
  ],
  [
    'two calls with one index',
    pieces(made(ARGS), made(ARGS, 'math_add', { id: 'b' })),
    { ...five, steps: ['duplicate_member', 'SUCCESS'], calls: [] },
  ],
  [
    'two calls with one index and no id',
    pieces(made('{"text":"a"}', 'note_put', { id: null }), made(ARGS, 'math_add', { id: null })),
    { ...five, steps: ['duplicate_member', 'SUCCESS'], calls: [] },
  ],
  // errors of every shape
  ...(
    [
      [event({ error: { message: 'overloaded' } }), '{"message":"overloaded"}'],
      [event({ error: 'overloaded' }), '"overloaded"'],
      [`event: error\n${event({ error: { message: 'overloaded' } })}`, '{"message":"overloaded"}'],
      ['event: error\ndata: engine dead\n\n', 'engine dead'],
      [`event: error\n${event({ type: 'overloaded_error' })}`, '{"type":"overloaded_error"}'],
      [
        event({ object: 'error', message: 'engine dead', code: 500 }),
        '{"object":"error","message":"engine dead","code":500}',
      ],
      [
        event({ choices: null, error_type: 'context_length', error_message: 'too long' }),
        '{"choices":null,"error_type":"context_length","error_message":"too long"}',
      ],
      [event({ choices: [], error_msg: 'no' }), '{"choices":[],"error_msg":"no"}'],
      [event({ detail: 'Not Found' }), '{"detail":"Not Found"}'],
      [
        event({ base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
        '{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}',
      ],
      [event([{ error: { code: 503 } }]), '{"code":503}'],
      [event({ choices: [{ index: 0, error: { code: 502 }, delta: {} }] }), '{"code":502}'],
      ['data: engine dead, please retry\n\n', 'engine dead, please retry'],
    ] as const
  ).map(
    ([text, said]): Row => [
      `the error ${JSON.stringify(text)}`,
      raw(event(d({ content: 'It' })), text),
      { waits: REPORTED, said },
    ],
  ),
  [
    'an error in a field of its own',
    raw(event(d({ content: 'It' })), 'error: {"code":500}\n\n'),
    { waits: CUT, said: 'error: {"code":500}' },
  ],
  ['an error as the text of a stream', raw('upstream connect error'), { waits: CUT, said: 'upstream connect error' }],
  ['an error in whole JSON', [whole({ error: 'model not loaded' })], { waits: REPORTED, said: '"model not loaded"' }],
  [
    'an error in whole JSON without the member',
    [whole({ message: 'model not loaded' })],
    { waits: REPORTED, said: '{"message":"model not loaded"}' },
  ],
  [
    'a page',
    [whole('<html>Bad Gateway</html>', { 'content-type': 'text/html' })],
    { state: 'failed', said: '<html>Bad Gateway</html>' },
  ],
  [
    'half a JSON in an event',
    raw('data: {"choices":[{"delta":{"con\n\n'),
    { state: 'failed', said: '{"choices":[{"delta":{"con' },
  ],
  ['JSON that is no chat completion', [whole({ object: 'list' })], { state: 'failed', said: '{"object":"list"}' }],
  [
    'an answer as reasoning alone',
    plain(
      d({ content: null, reasoning_content: '{"done":true,"message":"It is 5."}' }),
      d({ content: null }, 'stop'),
      DONE,
    ),
    { waits: 'The model wrote its reasoning and no answer behind it.', said: '{"done":true,"message":"It is 5."}' },
    { model: {} },
  ],
  // silence ends
  [
    'a stream that stalls',
    [{ chunks: [d({ content: 'It is' })], end: 'open' }],
    { waits: 'The endpoint fell silent in the middle of its answer. (0.04 s)', said: 'It is' },
    { model: { ...NATIVE, ...SHORT } },
  ],
  [
    'a stream that never begins',
    [{ chunks: [], end: 'open' }],
    { waits: 'The endpoint took too long to answer. (0.08 s)' },
    { model: { ...NATIVE, ...SHORT } },
  ],
  [
    'heartbeats without an answer',
    [{ pieces: Array.from({ length: 400 }, () => ': ping\n\n'), end: 'open' }],
    { waits: 'The endpoint fell silent in the middle of its answer. (0.08 s)' },
    { model: { ...NATIVE, waitMs: 80, silenceMs: 5000 } },
  ],
  // what a server demands back
  [
    'a thought signature is sent back',
    [
      {
        chunks: [
          d({ tool_calls: [made(ARGS, 'math_add', { extra_content: { google: { thought_signature: 'SIG0123' } } })] }),
          d({}, 'tool_calls'),
          DONE,
        ],
      },
      { ...END, requireEcho: 'SIG0123', refuse: 'missing' },
    ],
    added,
  ],
  [
    'reasoning is sent back',
    [
      {
        chunks: [
          d({ reasoning_content: 'RSN' }),
          d({ reasoning_content: '0123' }),
          d({ tool_calls: [made(ARGS)] }),
          d({}, 'tool_calls'),
          DONE,
        ],
      },
      { ...END, requireEcho: 'RSN0123', refuse: 'missing' },
    ],
    added,
  ],
  [
    'a member can be left out',
    [{ ...END, refuseMember: 'parallel_tool_calls', refuse: 'no' }],
    five,
    { model: { ...NATIVE, body: { parallel_tool_calls: undefined } } },
  ],
  ['a helpful member that the server refuses is left out', [{ ...END, refuseMember: 'parallel_tool_calls' }], five],
  [
    'the bound of a reasoning model',
    [
      {
        ...END,
        refuseMember: 'max_tokens',
        refuse: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      },
    ],
    five,
  ],
];

describe('answers of servers as users reported them', () => {
  for (const [kind, responses, expected, rest = {}] of ROWS)
    test.concurrent(kind, async () => {
      const input = { about: kind, model: NATIVE, responses, expected, ...rest } as ReportedInput;
      expect(differences(input.expected, await outcomeOf(runtime, input))).toEqual([]);
    });
});

test('without [DONE], and over an open connection, an answer is taken two seconds behind its finish reason', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const fetch = async () => new Response(bodyOf({ chunks: [d({ content: 'It is 5.' }), d({}, 'stop')], end: 'open' }));
  const model = fromOpenAI({ baseUrl: 'http://127.0.0.1/v1', model: 'm', fetch });
  const request = { messages: [], tools: [], dialect: 'xct', proposalSchema: {}, maxTokens: 9 } as const;
  const answer = model.propose(request, { signal: new AbortController().signal });
  let isOver = false;
  void answer.then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(1999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  vi.useRealTimers();
  expect(await answer).toMatchObject({ text: 'It is 5.', finish: 'stop' });
});

const FOLDER = join(process.env['SALLYPORT_REPORTS'] ?? '', 'endpoint');
const files = process.env['SALLYPORT_REPORTS'] !== undefined && existsSync(FOLDER) ? readdirSync(FOLDER) : [];

/** Inputs that come out otherwise, and why. */
const NAMED: Readonly<Record<string, string>> = {};

test.skipIf(files.length === 0)(
  'reports outside the repository (SALLYPORT_REPORTS) come out right',
  async () => {
    const wrong: string[] = [];
    const table: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.json')).toSorted()) {
      const input = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as ReportedInput;
      const found = differences(
        input.expected,
        await outcomeOf(runtime, input, { waitMs: 1500, silenceMs: 700 }).catch((error: unknown) => ({
          threw: String(error),
        })),
      );
      const reason = NAMED[file];
      if (found.length > 0 && reason === undefined) wrong.push(file);
      table.push(
        found.length === 0
          ? `right  ${file}`
          : `${reason === undefined ? 'wrong ' : 'named '} ${file}  ${reason ?? found.join('; ')}`,
      );
    }
    console.info(table.join('\n'));
    expect(wrong).toEqual([]);
  },
  120_000,
);
