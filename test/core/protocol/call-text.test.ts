import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callIn } from '../../../core/protocol/call-text.ts';

const xct = (args: string) => `{"next_step":{"tool":"a.b","arguments":${args},"goal":"g"}}`;

describe('the call in the text of a proposal', () => {
  test('has the name and the unchanged text of the arguments', () => {
    expect(callIn('xct', xct('{ "a": 1.0, "b":"}\\"" }'))).toEqual({ name: 'a.b', args: '{ "a": 1.0, "b":"}\\"" }' });
    const femtoclaw = ' {"tool_call" : {"args":{},"tool":"\\u0061"}}\n';
    expect(callIn('femtoclaw', femtoclaw)).toEqual({ name: 'a', args: '{}' });
  });

  test('is found where the arguments say a member twice', () => {
    expect(callIn('xct', xct('{"a":1,"a":2}'))?.args).toBe('{"a":1,"a":2}');
  });

  test.each([
    ['two calls', `${xct('{}').slice(0, -1)},"next_step":{"tool":"c","arguments":{},"goal":""}}`],
    ['no JSON', `${xct('{}')}{`],
    ['a message', '{"done":true,"message":"x"}'],
    ['a list', `[${xct('{}')}]`],
    ['arguments that are no object', xct('[1]')],
    ['a call of another dialect', '{"tool_call":{"tool":"a","args":{}}}'],
    ['an empty object', '{}'],
  ])('is absent for %s', (_, text) => {
    expect(callIn('xct', text)).toBeUndefined();
  });

  test('is absent in a catalytic message', () => {
    expect(callIn('catalytic', xct('{}'))).toBeUndefined();
  });

  test('equals the arguments of every call, however they are spelled', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (name, args, space) => {
        const text = JSON.stringify({ next_step: { tool: name, arguments: args, goal: '' } }, null, space);
        const call = callIn('xct', text);
        expect(call?.name).toBe(name);
        expect(JSON.parse(call?.args ?? '')).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  test('any text throws no error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void callIn('femtoclaw', text)));
  });
});
