import type { JsonValue } from '../../../core/index.ts';

/**
 * A JSON value as a TypeScript expression that is also JavaScript. Texts of strangers stay texts: in a module, in an
 * inline script, and under the name `__proto__`. Characters that cannot be seen are written as escapes.
 */
export function literalOf(value: JsonValue, indent = ''): string {
  if (typeof value === 'string') return value.includes('\n') ? template(value) : quoted(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each: JsonValue) => literalOf(each, inner))
    : Object.entries(value).map(([name, each]) => `${nameOf(name)}: ${literalOf(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return `${open}${close}`;
  const flat = Array.isArray(value) ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`;
  if (flat.length <= LINE_UNITS - indent.length && !flat.includes('\n')) return flat;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}

const LINE_UNITS = 100;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/u;

/** `__proto__: x` would set the prototype; a computed name does not. */
function nameOf(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return IDENTIFIER.test(name) ? name : quoted(name);
}

/** A text as an expression of one line; it may also stand in a comment. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${seen(inner)}'`;
}

/** Keeps the lines of a source apart. A template turns CR LF into LF, so each CR is an escape. */
function template(text: string): string {
  const inner = text
    .replaceAll('\\', '\\\\')
    .replaceAll('`', '\\`')
    .replaceAll('${', '\\${')
    .replaceAll(/[^\P{Cc}\n]/gu, escaped);
  return `\`${seen(inner)}\``;
}

/** Format characters, separators and lone surrogates, and the beginnings of tags that would end an inline script. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u007f-\u009f\ufeff]|<(?=[/!]|script)/giu;

function seen(text: string): string {
  return text.replaceAll(UNSEEN, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => unit(character.charCodeAt(i))).join('');
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
