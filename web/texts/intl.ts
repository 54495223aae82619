import { speech } from './area.ts';

/** The forms of a text by plural category; `#` stands for the number. */
export type PluralForms = { readonly other: string } & { readonly [C in Intl.LDMLPluralRule]?: string };

/** A number with the digits and groups of the current locale. A blank between groups is a plain space. */
export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return numberFormat(speech().locale, options)
    .format(value)
    .replaceAll(/(?<=\d)\p{Zs}(?=\d)/gu, ' ');
}

/** A number with the form of its noun: `plural(2, { one: '# step', other: '# steps' })` is `2 steps`. */
export function plural(value: number, forms: PluralForms): string {
  const category = pluralRules(speech().locale).select(value);
  return (forms[category] ?? forms.other).replaceAll('#', number(value));
}

/** `a, b and c`, or `a, b or c`. */
export function list(items: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return listFormat(speech().locale, type).format(items);
}

/** Date and time of day, to the minute. */
export function dateTime(ms: number): string {
  return date(ms, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Date and time of day, to the second. */
export function dateSecond(ms: number): string {
  return date(ms, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Time of day, to the second. */
export function timeOfDay(ms: number): string {
  return date(ms, { timeStyle: 'medium' });
}

/** Date and time of day in UTC, to the second, with the name of the zone: for a text that people elsewhere read. */
export function universalTime(ms: number): string {
  return date(ms, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });
}

/** A time that no calendar has, from a stranger's file, stays a number. */
function date(ms: number, options: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(new Date(ms).getTime())) return String(ms);
  // other blanks would be written out where a text is shown beside strangers' texts
  return dateFormat(speech().locale, options)
    .format(ms)
    .replaceAll(/\p{Zs}/gu, ' ');
}

/** Keeps what `make` returns for each locale and option: a ledger formats ten thousand numbers at once. */
function kept<O, F>(make: (locale: string, options: O) => F): (locale: string, options: O) => F {
  const made = new Map<string, F>();
  return (locale, options) => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const found = made.get(key) ?? make(locale, options);
    made.set(key, found);
    return found;
  };
}

const numberFormat = kept((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const dateFormat = kept((locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const listFormat = kept((locale, type: Intl.ListFormatType) => new Intl.ListFormat(locale, { type }));
const rules = kept((locale, _: undefined) => new Intl.PluralRules(locale));
const pluralRules = (locale: string): Intl.PluralRules => rules(locale, undefined);
