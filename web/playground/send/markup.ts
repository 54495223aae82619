import { visibleText } from '../../../core/index.ts';

/** HTML of ours, with texts of strangers in it as text alone. `markup` is its only maker. */
export class Markup {
  readonly #html: string;
  constructor(key: symbol, html: string) {
    if (key !== MAKER) throw new TypeError('markup makes it');
    this.#html = html;
  }
  toString(): string {
    return this.#html;
  }
}

const MAKER = Symbol('markup');

export type MarkupValue = string | number | Markup | readonly Markup[];

/**
 * A template whose values become text: characters of HTML are escaped, and invisible characters are written out. A
 * value stands between tags or within quotes.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return new Markup(MAKER, String.raw({ raw: strings }, ...values.map(htmlOf)));
}

function htmlOf(value: MarkupValue): string {
  if (value instanceof Markup) return value.toString();
  return typeof value === 'object' ? value.map(htmlOf).join('') : escaped(String(value));
}

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"'`]/gu, (character) => ESCAPES[character] ?? '');
}
