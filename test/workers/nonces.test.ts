import { expect, test } from 'vitest';
import { makeNonces } from '../../workers/nonces.ts';

test('a nonce is the hex of sixteen drawn bytes, and no byte is in two nonces', () => {
  const drawn: string[] = [];
  const nonce = makeNonces((bytes) => {
    crypto.getRandomValues(bytes);
    drawn.push(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''));
  });
  const nonces = Array.from({ length: 600 }, nonce);
  expect(nonces.every((each) => each.length === 32)).toBe(true);
  expect(drawn).toHaveLength(3);
  expect(drawn.join('').startsWith(nonces.join(''))).toBe(true);
});
