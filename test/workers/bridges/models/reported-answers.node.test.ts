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
  // a choice is an answer
  [
    'two choices, piece by piece',
    plain(
      { choices: [{ index: 0, delta: { content: 'It is ' } }] },
      { choices: [{ index: 1, delta: { content: 'Delete ' } }] },
      { choices: [{ index: 1, delta: { content: 'all.' }, finish_reason: 'stop' }] },
      { choices: [{ index: 0, delta: { content: '5.' }, finish_reason: 'stop' }] },
      DONE,
    ),
    five,
  ],
  [
    'two choices, of which the second alone is finished',
    plain(
      {
        choices: [
          { index: 0, delta: { content: 'It is ' } },
          { index: 1, delta: { content: 'No.' } },
        ],
      },
      { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] },
    ),
    { waits: CUT, said: 'It is' },
  ],
  [
    'two choices, of which the second calls',
    plain(
      { choices: [{ index: 0, delta: { content: 'It is 5.' }, finish_reason: 'stop' }] },
      {
        choices: [{ index: 1, delta: { tool_calls: [made('{"text":"a"}', 'note_put')] }, finish_reason: 'tool_calls' }],
      },
      DONE,
    ),
    { ...five, calls: [] },
  ],
  [
    'two choices, whole',
    [
      whole({
        choices: [
          { index: 0, message: { content: 'It is 5.' }, finish_reason: 'stop' },
          { index: 1, message: { content: 'Seven.' }, finish_reason: 'stop' },
        ],
      }),
    ],
    five,
  ],
  [
    'a single choice that is not number 0',
    plain({ choices: [{ index: 1, delta: { content: 'It is 5.' }, finish_reason: 'stop' }] }, DONE),
    five,
  ],
  // a finish reason before the end
  [
    'a finish reason with each piece of the reasoning',
    plain(d({ reasoning_content: 'hm' }, 'stop'), d({ content: 'It is ' }), d({ content: '5.' }, 'stop'), DONE),
    five,
  ],
  [
    'a finish reason in the middle of a text that is cut off',
    plain(d({ content: 'Do not ' }, 'stop'), d({ content: 'delete ' })),
    { waits: CUT, said: 'Do not delete' },
  ],
  [
    'a finish reason in the middle of a call that is cut off',
    plain(d({ tool_calls: [made('')] }, 'tool_calls'), d({ tool_calls: [more('{"text":"a"}')] })),
    { waits: CUT, calls: [] },
  ],
  [
    'a finish reason in the middle, and [DONE] behind the rest',
    [{ chunks: [d({ tool_calls: [made('')] }, 'tool_calls'), d({ tool_calls: [more(ARGS)] }), DONE] }, END],
    added,
  ],
  [
    'blanks behind the finish reason',
    plain(d({ content: 'It is 5.' }, 'stop'), d({ content: '\n' })),
    { state: 'completed' },
  ],
  ...['abort', 'insufficient_system_resource', 'network_error', 'function_call_filter: MALFORMED_FUNCTION_CALL'].map(
    (word): Row => [
      `the finish reason ${word} before [DONE]`,
      plain(d({ content: 'Do not ' }), d({}, word), DONE),
      { waits: CUT, said: `finish_reason: ${JSON.stringify(word)}` },
    ],
  ),
  ['a finish reason as an object', plain(d({ content: 'It is 5.' }, { type: 'stop', matched: 2 }), DONE), five],
  ['an abort as an object', plain(d({ content: 'It is ' }, { type: 'abort', message: 'gone' }), DONE), { waits: CUT }],
  ['stop behind a call', [{ chunks: [d({ tool_calls: [made(ARGS)] }), d({}, 'stop'), DONE] }, END], added],
  ['the reason in capitals', plain(d({ content: 'It is 5.' }, 'STOP'), DONE), five],
  // servers on this device, as they answer
  [
    'llama.cpp: role first, then reasoning, and timings with an empty list',
    plain(
      d({ role: 'assistant', content: null }, null, { system_fingerprint: 'b9554-d403f00ec' }),
      d({ reasoning_content: 'hm' }, null, { timings: { cache_n: 7, predicted_n: 28 } }),
      d({ content: 'It is 5.' }),
      d({}, 'stop'),
      {
        choices: [],
        object: 'chat.completion.chunk',
        usage: { completion_tokens: 7, prompt_tokens: 43, total_tokens: 50 },
        timings: { prompt_n: 43, predicted_ms: 0.028 },
      },
      DONE,
    ),
    { ...five, tokens: { input: 43, output: 7 } },
  ],
  [
    'llama.cpp: a call with its name first',
    pieces(
      { index: 0, id: 'h7Vy', type: 'function', function: { name: 'math_add', arguments: '' } },
      more('{"a":'),
      more('2,"b":3'),
      more('}'),
    ),
    added,
  ],
  [
    'llama.cpp: an error in the stream',
    raw(event(d({ content: 'It' })), event({ error: { code: 500, message: 'context shift', type: 'server_error' } })),
    { waits: REPORTED, said: '{"code":500,"message":"context shift","type":"server_error"}' },
  ],
  [
    'llama.cpp: the model is loading',
    [{ status: 503, ...whole({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }) }],
    { waits: 'The endpoint answered with an error. (HTTP 503)' },
  ],
  [
    'Ollama: role and empty content in each chunk, reasoning in its own member',
    plain(
      d({ role: 'assistant', content: '', reasoning: 'hm' }, null, { system_fingerprint: 'fp_ollama' }),
      d({ role: 'assistant', content: 'It is 5.' }, null, { system_fingerprint: 'fp_ollama' }),
      d({ role: 'assistant', content: '' }, 'stop', { system_fingerprint: 'fp_ollama' }),
      { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
      DONE,
    ),
    { ...five, tokens: { input: 9, output: 4 } },
  ],
  [
    'Ollama: a whole call in a chunk, and stop behind it',
    [
      {
        chunks: [
          d({
            role: 'assistant',
            content: '',
            tool_calls: [
              { id: 'call_x1', index: 0, type: 'function', function: { name: 'math_add', arguments: ARGS } },
            ],
          }),
          d({ role: 'assistant', content: '' }, 'stop'),
          DONE,
        ],
      },
      END,
    ],
    added,
  ],
  [
    'Ollama: an error in the stream',
    raw(
      event(d({ content: 'It' })),
      event({ error: { message: 'model runner has stopped', type: 'api_error', param: null, code: null } }),
    ),
    { waits: REPORTED },
  ],
  [
    'Ollama: its own protocol in the place of this one',
    [
      whole('{"model":"m","message":{"content":"It"},"done":false}\n{"done":true}', {
        'content-type': 'application/x-ndjson',
      }),
    ],
    { state: 'failed' },
  ],
  [
    'vLLM: usage in each chunk, and members of its own',
    plain(
      d({ role: 'assistant', content: '' }, null, {
        usage: { prompt_tokens: 5, completion_tokens: 0 },
        prompt_token_ids: null,
      }),
      d({ content: 'It is 5.' }, null, { usage: { prompt_tokens: 5, completion_tokens: 4 } }),
      {
        choices: [
          {
            index: 0,
            delta: { content: '' },
            logprobs: null,
            finish_reason: 'stop',
            stop_reason: null,
            token_ids: null,
          },
        ],
        usage: { prompt_tokens: 5, completion_tokens: 5 },
      },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: null } },
      DONE,
    ),
    { ...five, tokens: { input: 5, output: 5 } },
  ],
  [
    'vLLM: a call whose later pieces have no id, type or name',
    pieces(
      { index: 0, id: 'chatcmpl-tool-1f', type: 'function', function: { name: 'math_add' } },
      { index: 0, function: { arguments: '{"a": 2' } },
      { index: 0, function: { arguments: ', "b": 3}' } },
    ),
    added,
  ],
  [
    'vLLM: the engine dies',
    raw(
      event(d({ content: 'It' })),
      event({ error: { message: 'EngineCore died', type: 'InternalServerError', code: 500 } }),
      'data: [DONE]\n\n',
    ),
    { waits: REPORTED },
  ],
  [
    'LM Studio: an empty name and a text of no length in later pieces',
    pieces(
      { index: 0, id: '376834', type: 'function', function: { name: 'math_add', arguments: '' } },
      { index: 0, type: 'function', function: { name: '', arguments: ARGS } },
    ),
    added,
  ],
  [
    'LM Studio: an error event',
    raw(
      event(d({ content: 'It' })),
      `event: error\n${event({ error: { message: 'The model has crashed. (Exit code: 0)' } })}`,
    ),
    { waits: REPORTED, said: '{"message":"The model has crashed. (Exit code: 0)"}' },
  ],
  [
    'LM Studio: an error as whole JSON',
    [whole({ error: 'Error in iterating prediction stream: StopIteration: ' })],
    { waits: REPORTED },
  ],
  // gateways
  [
    'Azure: the filter of the prompt first, the filter of the answer last',
    plain(
      { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] },
      { choices: [{ index: 0, delta: { content: 'It is 5.' }, content_filter_results: {}, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      {
        id: '',
        object: '',
        choices: [
          {
            index: 0,
            finish_reason: null,
            content_filter_results: { hate: { filtered: false } },
            content_filter_offsets: { check_offset: 44 },
          },
        ],
        usage: null,
      },
      DONE,
    ),
    five,
  ],
  [
    'Azure: the filter itself failed',
    plain(
      {
        choices: [
          {
            index: 0,
            delta: { content: 'It is 5.' },
            content_filter_result: { error: { code: 'content_filter_error' } },
            finish_reason: 'stop',
          },
        ],
      },
      DONE,
    ),
    five,
  ],
  [
    'OpenRouter: an error beside a choice',
    plain(
      d({ content: 'It' }),
      {
        error: { code: 502, message: 'Provider disconnected' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      },
      DONE,
    ),
    { waits: REPORTED, said: '{"code":502,"message":"Provider disconnected"}' },
  ],
  [
    'Groq: a call that its parser refuses, in the stream',
    raw(event({ error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: 'x' } })),
    { waits: REPORTED },
  ],
  [
    'Groq: a call that its parser refuses, as a status',
    [
      {
        status: 400,
        ...whole({ error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: 'x' } }),
      },
    ],
    { waits: 'The endpoint answered with an error. (HTTP 400)' },
  ],
  [
    'Groq: usage in a member of its own',
    plain(
      d({ content: 'It is 5.' }, 'stop', { x_groq: { id: 'r', usage: { prompt_tokens: 3, completion_tokens: 4 } } }),
      DONE,
    ),
    { ...five, tokens: { input: 3, output: 4 } },
  ],
  [
    'Mistral: padding, and the reason model_length',
    plain({ ...d({ content: 'It is 5' }), p: 'abcdefgh' }, d({ content: '' }, 'model_length'), DONE),
    { steps: ['json_syntax', 'json_syntax', 'json_syntax'] },
  ],
  [
    'DeepSeek: blank lines before whole JSON',
    [
      {
        headers: JSON_TYPE,
        pieces: [
          ...Array.from({ length: 30 }, () => '\n'.repeat(100)),
          JSON.stringify(message({ content: 'It is 5.' })),
        ],
      },
    ],
    five,
  ],
  ['DeepSeek: an empty body', [{ headers: JSON_TYPE, pieces: [] }], { waits: CUT }],
  [
    'a proxy that appends its error as a line of text',
    raw(event(d({ reasoning_content: 'hm' })), 'upstream error: read ECONNRESET\n'),
    { waits: CUT, said: 'upstream error: read ECONNRESET' },
  ],
  [
    'a proxy that appends a page',
    raw(event(d({ content: 'It' })), '<html>504 Gateway Time-out</html>\n\n'),
    { waits: CUT, said: '<html>504 Gateway Time-out</html>' },
  ],
  [
    'Perplexity: the whole message beside each delta',
    plain(
      { choices: [{ index: 0, delta: { content: 'It is ' }, message: { content: 'It is ' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: { content: '5.' }, message: { content: 'It is 5.' }, finish_reason: 'stop' }] },
    ),
    five,
  ],
  [
    'MiniMax: the whole message behind the deltas, and a status of 0',
    plain(
      d({ content: 'It is 5.' }, 'stop'),
      { ...message({ content: 'It is 5.' }), object: 'chat.completion', base_resp: { status_code: 0, status_msg: '' } },
      DONE,
    ),
    five,
  ],
  [
    'Bedrock: its own words for the reasons',
    [
      { chunks: [d({ tool_calls: [made(ARGS)] }), d({}, 'tool_use'), DONE] },
      { chunks: [d({ content: 'It is 5.' }), d({}, 'end_turn')] },
    ],
    added,
  ],
  [
    'LiteLLM: a delta in whole JSON',
    [whole({ choices: [{ index: 0, delta: { content: 'It is 5.' }, finish_reason: 'stop' }] })],
    five,
  ],
  [
    'LiteLLM: members of its own in each delta',
    plain(
      d({ content: 'It is 5.', provider_specific_fields: null, thinking_blocks: null, audio: null, role: null }, null, {
        citations: null,
        stream_options: null,
      }),
      d({ provider_specific_fields: null }, 'stop'),
      DONE,
    ),
    five,
  ],
  // usage of every shape
  ...(
    [
      [
        { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        { input: 1, output: 2 },
      ],
      [
        { input_tokens: 1, output_tokens: 2 },
        { input: 1, output: 2 },
      ],
      [{ prompt_tokens: null, completion_tokens: 2 }, undefined],
      [{ prompt_tokens: '1', completion_tokens: '2' }, undefined],
      [{ prompt_tokens: -1, completion_tokens: 2 }, undefined],
      [{ prompt_tokens: 1.5, completion_tokens: 2 }, undefined],
      [[], undefined],
      ['none', undefined],
      [0, undefined],
    ] as const
  ).map(
    ([usage, tokens]): Row => [
      `usage ${JSON.stringify(usage)}`,
      plain(d({ content: 'It is 5.' }), d({}, 'stop', { usage }), DONE),
      { ...five, tokens },
    ],
  ),
  // arguments as null
  [
    'the text null for a tool that takes none',
    pieces(made('null', 'time_now')),
    { ...five, calls: [['time.now', {}]] },
  ],
  [
    'the text null for a tool that takes some',
    pieces(made('null')),
    { ...five, steps: ['arguments_schema', 'SUCCESS'], calls: [] },
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

// `npm run reports` says it where there is none
test.skipIf(files.length === 0 && process.env['npm_lifecycle_event'] !== 'reports')(
  `reports outside the repository (SALLYPORT_REPORTS${files.length === 0 ? ' names none' : ''}) come out right: endpoints`,
  async () => {
    expect(files, 'SALLYPORT_REPORTS names a folder with inputs').not.toEqual([]);
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
          ? `right  endpoint/${file}`
          : `${reason === undefined ? 'wrong' : 'named'}  endpoint/${file}  ${reason ?? found.join('; ')}`,
      );
    }
    console.info(table.join('\n'));
    expect(wrong).toEqual([]);
  },
  120_000,
);
