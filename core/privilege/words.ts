import { canonicalText } from '../json/canonical.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { CALLBACK, demand, type OptionType } from '../option.ts';
import type { FittedForm, FormName } from './forms.ts';
import type { AskReason, ProposedRule } from './propose.ts';
import type { TriedAs } from './try.ts';

/** Words of a language for rules. `{…}` stands for a value. */
export interface RuleWords {
  readonly allow: string;
  readonly ask: string;
  readonly forms: { readonly [F in Exclude<FormName, 'list' | 'object' | 'either'>]: string };
  /** Behind a form that leaves values out. */
  readonly except: string;
  limits(uses: number): string;
  rate(calls: number): string;
  evidence(seen: {
    readonly calls: number;
    readonly runs: number;
    readonly first: string;
    readonly last: string;
  }): string;
  readonly asks: { readonly [A in AskReason]: string };
  readonly tried: { readonly [A in TriedAs]: string };
}

export const RULE_WORDS: RuleWords = {
  allow: '{tool} runs without a question',
  ask: '{tool} asks a person',
  forms: {
    constant: '{place} is {value}',
    values: '{place} is one of {value}',
    range: '{place} is from {value} to {most}',
    folder: '{place} is inside of {value}',
    origin: '{place} is an address at {value}',
    prefix: '{place} begins with {value}',
    format: '{place} is of the form {value}',
    length: '{place} has at most {value} characters',
    any: '{place} is anything',
  },
  except: ' but not {value}',
  limits: (uses) => (uses === 1 ? 'once in a run' : `at most ${uses} times in a run`),
  rate: (calls) => (calls === 1 ? 'once a minute' : `at most ${calls} times a minute`),
  evidence: ({ calls, runs, first, last }) => {
    const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
    return `Seen in ${calls === 1 ? 'one call' : `${calls} calls of ${runs === 1 ? 'one run' : `${runs} runs`}`}, ${when}.`;
  },
  asks: {
    effect: 'It leaves something behind.',
    reading: 'It lets the model read what is held.',
    untrusted: "Its values were only seen after a stranger's text was read.",
    refused: 'A person or the guard has refused a call that it covers.',
    person: 'You want to be asked.',
  },
  tried: {
    same: 'as before',
    asked: 'a person would be asked',
    refused: 'would be refused',
    permitted: 'would run without a question',
    unknown: 'not known',
  },
};

/**
 * What a rule permits, in a sentence, and what it rests on. The values in it are a stranger's text. `day` writes a time in
 * ms since epoch.
 */
export function ruleText(rule: ProposedRule, day: (at: number) => string, words: RuleWords = RULE_WORDS): string {
  demand('rule', rule, RULE);
  demand('day', day, CALLBACK);
  const { capability, terms, form, asks, evidence } = rule;
  const { mode, uses, rate } = terms;
  const head = filled(mode === 'allow' ? words.allow : words.ask, { tool: capability });
  const places = placesOf(form).map((each) => placeText(each, words));
  const [most] = rate ?? [];
  const limits = [
    ...(uses === undefined ? [] : [words.limits(uses)]),
    ...(most === undefined ? [] : [words.rate(most.calls)]),
  ];
  const { calls, runs, first, last } = evidence;
  const seen = words.evidence({ calls, runs, first: day(first), last: day(last) });
  const why = asks === undefined ? [] : [words.asks[asks]];
  return [`${[head, ...places].join(', ')}; ${limits.join(', ')}.`, ...why, seen].join(' ');
}

const RULE: OptionType = [
  'a rule, as proposeGrants gives it',
  (value) => isObject(value) && [value['terms'], value['form'], value['evidence']].every(isObject),
];

/** The places of a rule that say something: those that hold no others. */
function placesOf(form: FittedForm): readonly FittedForm[] {
  return form.below.length === 0 && form.pointer !== '' ? [form] : form.below.flatMap(placesOf);
}

/** What a rule says about a place. A place without a name is the arguments as a whole. */
export function placeText({ pointer, form, schema }: FittedForm, words: RuleWords = RULE_WORDS): string {
  const kind = form === 'list' || form === 'object' || form === 'either' ? 'any' : form;
  const { maximum } = schema;
  const most = maximum === undefined ? '' : canonicalText(maximum);
  const { not } = schema;
  const except = not === undefined || !isObject(not) ? '' : filled(words.except, { value: valueText(not) });
  return `${filled(words.forms[kind], { place: pointer.slice(1), value: valueText(schema), most })}${except}`;
}

/** The part of a form that differs from place to place. */
function valueText({ const: one, enum: all, minimum, pattern, format, maxLength }: FittedForm['schema']): string {
  if (one !== undefined) return shortened(JSON.stringify(one));
  if (Array.isArray(all)) return shortened(all.map((each: JsonValue) => JSON.stringify(each)).join(', '));
  if (minimum !== undefined) return canonicalText(minimum);
  if (typeof pattern === 'string') return shortened(baseOf(pattern));
  if (typeof format === 'string') return format;
  return maxLength === undefined ? '' : canonicalText(maxLength);
}

/** The constant part of the pattern of a folder, an origin or a prefix. */
function baseOf(pattern: string): string {
  const [base = ''] = /^\^(?:\\.|[^\\([])*/u.exec(pattern) ?? [];
  return base.slice(1).replaceAll(/\\(.)/gu, '$1');
}

const SHOWN_MAX = 120;

function shortened(text: string): string {
  const chars = Array.from(text);
  return chars.length > SHOWN_MAX ? `${chars.slice(0, SHOWN_MAX).join('')}…` : text;
}

function filled(words: string, values: { readonly [name: string]: string | number }): string {
  return words.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(values[name] ?? ''));
}
