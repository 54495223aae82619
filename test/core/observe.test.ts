import { describe, expect, test } from 'vitest';
import { CODES, type Code, refuse } from '../../core/errors.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import { utf8Length } from '../../core/json/utf8.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { REPLY_BYTES } from '../../core/limits.ts';
import type { Refusal } from '../../core/outcome.ts';
import { observeRefusal, observeResult, replacedText, type ToldChange } from '../../core/run/observe.ts';
import { call, facts, settledOk } from './run/facts.ts';
import { acknowledge, begun, check, propose, settle, told } from './run/outside.ts';

const ALL = Object.keys(CODES) as Code[];

/** Every detail that a code promises, so that a single value serves all codes. */
const DETAILS = {
  limit: 1, used: 2, status: 400, offset: 3, line: 4, column: 5, found: 'x', name: 'n', literal: '1e999', got: ['a'], expected: ['b'], uses: 6, expires: 7,
  issues: [{ pointer: '/a', keyword: 'type', message: 'must be string' }], error: { name: 'Error', message: 'said' }, reason: 'because',
  what: 'w', sha256: 'f'.repeat(64), rule: 'r', symbol: '@A/b', ref: 'r', matches: 2, section_id: 'i', path: 'p', line_end: 9, lines: 8, asked: 9, pid: 1, at: 1, records: 3, unit: 'lines', breaches: [], section: 's', slice: 'head(1)', size: 8, type: 't', origin: 'https://a.example', pattern: 'p', run_id: 'r', neighbour: 'behind', recorded: 1, current: 2, earlier: 9, handle: 'h1', wanted: 'a', algorithm: 'none', barriers: [{ step: 1, capability: 'a', reason: 'gone' }], calls: 3, windowMs: 1_000, next: 5, after_ms: 6, port: 1, until: '2027-05-31T00:00:00.000Z',
}; // biome-ignore format: a list

function refusalOf(code: Code): Refusal {
  return refuse(code as 'limit_size', DETAILS, { step: 'execute', pointer: '/a' }).refusal;
}

describe('the reply that the model reads', () => {
  test.each(ALL)('the reply to the refusal %s is exactly the error of XCT 4.2', (code) => {
    const reply = observeRefusal(refusalOf(code));
    expect(Object.keys(reply).sort()).toEqual(['details', 'message', 'status']);
    expect(reply).toMatchObject({
      status: 'error',
      details: { code, class: CODES[code].class, step: 'execute', pointer: '/a' },
    });
    expect(reply['message']).toMatch(/^\S.*\.$/);
    expect(reply['message']).not.toMatch(/undefined|\[object|NaN/);
    expect(JSON.parse(canonicalText(reply))).toEqual(reply);
  });

  test.each([null, false, 0, '', [], {}, { status: 'error' }, [1, { a: 'b' }]])(
    'the reply to the result %j is exactly the success of XCT 4.1',
    (result) => {
      expect(observeResult(result)).toEqual({ status: 'success', result });
    },
  );

  test.each(ALL)('the reply to the refusal %s has a step and a pointer only when the refusal has them', (code) => {
    const { step: _, pointer: __, ...nowhere } = refusalOf(code);
    expect(Object.keys(observeRefusal(nowhere)['details'] as object)).not.toContain('step');
    expect(Object.keys(observeRefusal(nowhere)['details'] as object)).not.toContain('pointer');
  });
});

describe('the reply to a call that a person has replaced', () => {
  const long = { name: 'Error', message: 'e'.repeat(5_000) };
  const REPLIES: readonly (readonly [JsonObject, object])[] = [
    [observeResult({ $held: 'h5' }), { status: 'success', result: { $held: 'h5' } }],
    [observeResult('sent'), { status: 'success', result: 'sent' }],
    [observeResult('x'.repeat(5_000)), { status: 'success', result: { code: 'reply_omitted' } }],
    [
      observeRefusal(refuse('capability_threw', { ...DETAILS, error: long }, { step: 'execute' }).refusal),
      { status: 'error', details: { code: 'capability_threw' } },
    ],
  ];
  const CHANGED: readonly (readonly ToldChange[])[] = [
    [],
    [{ pointer: '/text', value: 'x'.repeat(1_000_000) }],
    [{ pointer: `/${'p'.repeat(1_000)}`, changed: true }],
    Array.from({ length: 5_000 }, (_, nth) => ({ pointer: `/${nth}`, value: nth })),
  ];

  test('fits every window, and tells in each what came of the call of the person', () => {
    for (const limit of [REPLY_BYTES, 600, 800, 1_000, 5_000])
      for (const changed of CHANGED)
        for (const [reply, outcome] of REPLIES) {
          const left = () => ({ result: { sha256: 'f'.repeat(64), bytes: 5_000 } });
          const text = replacedText({ step: 9_000, changed }, reply, limit, left);
          expect(utf8Length(text)).toBeLessThanOrEqual(limit);
          expect(JSON.parse(text), `${limit}`).toMatchObject({ details: { code: 'replaced', instead: { outcome } } });
        }
  });
});

describe('the reply to a proposal', () => {
  test.each(['alone', 'denied', 'off', 'expired', 'narrow', 'forbidden'])(
    'the reply to a denied call (%s) does not reveal other rules and capabilities',
    (name) => {
      const world = begun(facts());
      propose(world, call(name, { ok: false }), 5_000);
      if (world.waiting.has('check')) check(world, () => ({ failed: 'lost' }));
      acknowledge(world);
      const { status, message, details } = told(world) as {
        status: string;
        message: string;
        details: Record<string, unknown>;
      };
      expect(status).toBe('error');
      const { class: kind, code, step, name: named, ...rest } = details;
      expect([kind, step, named, typeof code]).toEqual(['authorization', 'authorize', name, 'string']);
      expect(Object.keys(rest).filter((one) => one !== 'expires')).toEqual([]);
      expect(message).toBe(
        refuse(code as 'grant_expired', { name, expires: 1_000 }, { step: 'authorize' }).refusal.message,
      );
      expect(JSON.stringify(details)).not.toMatch(/[0-9a-f]{64}/);
    },
  );

  test('the reply and its payload in the log are the same bytes', () => {
    const world = begun(facts());
    propose(world, call('pure'));
    settle(world, settledOk({ b: 1, a: [true] }));
    const append = world.waiting.get('append');
    const texts = append?.type === 'append' ? append.payloads.map(({ bytes }) => new TextDecoder().decode(bytes)) : [];
    expect(texts).toContain('{"result":{"a":[true],"b":1},"status":"success"}');
    expect(world.state.context?.message.content).toBe('{"result":{"a":[true],"b":1},"status":"success"}');
  });
});
