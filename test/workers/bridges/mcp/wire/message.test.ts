import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage, refusedShape, shapeOfEdges } from '../../../../../workers/bridges/mcp/wire/message.ts';

const encoder = new TextEncoder();

it('any bytes are a value or a refusal, and their shape never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(readMessage(bytes).ok).toBeTypeOf('boolean');
      expect(refusedShape(bytes).isAsked).toBeTypeOf('boolean');
    }),
  );
});

it('accepts 128 levels', () => {
  expect(readMessage(encoder.encode('['.repeat(128) + ']'.repeat(128))).ok).toBe(true);
});

it('refuses 129 levels', () => {
  const read = readMessage(encoder.encode('['.repeat(129) + ']'.repeat(129)));
  expect(read).toMatchObject({ ok: false, refusal: { code: 'limit_depth' } });
});

describe('the shape of a refused message', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}', { id: 7, isAsked: false }],
    ['{"result":{"a":1,"a":2},"jsonrpc":"2.0","id":"x-7"}', { id: 'x-7', isAsked: false }],
    ['{"jsonrpc":"2.0","id":1,"method":"roots/list","method":"x"}', { id: 1, isAsked: true }],
    ['{"jsonrpc":"2.0","method":"notifications/message","params":{"a":1,"a":2}}', { isAsked: true }],
    ['{"id":{},"result":1}', { isAsked: false }],
    ['[1,2', { isAsked: false }],
    ['', { isAsked: false }],
  ])('of %s', (text, shape) => {
    expect(refusedShape(encoder.encode(text))).toEqual(shape);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"te', 'xt"}]}}', { id: 7, isAsked: false }],
    ['{"result":{"content":[{"text":"a', 'z"}]},"jsonrpc":"2.0","id":7}', { id: 7, isAsked: false }],
    ['{"result":{"content":[{"text":"a', 'z"}]},"id":"a\\"b","jsonrpc":"2.0"}', { id: 'a"b', isAsked: false }],
    ['{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a', 'z"}}', { isAsked: true }],
    ['{"result":{"content":[{"text":"a', 'z"}]}}', { isAsked: false }],
  ])('whose middle was dropped: %s … %s', (head, tail, shape) => {
    expect(shapeOfEdges(head, tail)).toEqual(shape);
  });
});
