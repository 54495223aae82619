import { textOf } from './lib/text.js';

/** @param {{ path?: string, value?: unknown, pointer: string }} args */
export default async function ({ path, value, pointer }) {
  const whole = path === undefined ? value : /** @type {unknown} */ (JSON.parse(textOf({ path })));
  return { value: tokens(pointer).reduce(step, whole) };
}

/**
 * RFC 6901: the reference tokens, unescaped.
 *
 * @param {string} pointer
 */
function tokens(pointer) {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new SyntaxError('A pointer is empty or starts with "/".');
  if (/~(?![01])/.test(pointer)) throw new SyntaxError('In a pointer, "~" is written ~0 and "/" is written ~1.');
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Own members and elements only: `constructor` and `length` are not there.
 *
 * @param {unknown} value
 * @param {string} token
 * @returns {unknown}
 */
function step(value, token) {
  const isIndex = /^(?:0|[1-9]\d*)$/.test(token);
  const inside = typeof value === 'object' && value !== null && (Array.isArray(value) ? isIndex : true);
  if (!inside || !Object.hasOwn(value, token)) throw new RangeError(`Nothing at ${JSON.stringify(token)}.`);
  return Reflect.get(value, token);
}
