import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';

const en = {
  arguments: 'Arguments',
  allTools: 'All tools',
  noArguments: 'It takes no arguments.',
  edited: 'You have edited the proposal by hand, so the form leaves it as it is.',
  write: 'Write it from the form',
  asJson: '· as JSON',
  notJson: (why: string): string => `This is not JSON. ${why}`,
  include: (name: unknown): TemplateResult => html`Include ${name}`,
  remove: (name: string): string => `Remove ${name}`,
  addTo: (name: unknown): TemplateResult => html`Add to ${name}`,
  /** Constraints of a schema, beside a field; each keyword with its value. */
  hints: {
    integer: 'a whole number',
    minimum: (limit: string): string => `at least ${limit}`,
    exclusiveMinimum: (limit: string): string => `more than ${limit}`,
    maximum: (limit: string): string => `at most ${limit}`,
    exclusiveMaximum: (limit: string): string => `less than ${limit}`,
    multipleOf: (limit: string): string => `a multiple of ${limit}`,
    minLength: (limit: string): string => `${limit} or more characters`,
    maxLength: (limit: string): string => `at most ${limit} characters`,
    format: (format: string): string => `in the format ${format}`,
    pattern: (pattern: string): string => `matches ${pattern}`,
    minItems: (limit: string): string => `${limit} or more items`,
    maxItems: (limit: string): string => `at most ${limit} items`,
    uniqueItems: 'each item once',
  },
};

export type ProposeFormTexts = typeof en;
export const proposeForm: Area<ProposeFormTexts> = area('propose-form', en);
