import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { list, number } from '../intl.ts';

const en = {
  title: 'Held for the model',
  /** In the reader's words: what the model, or the caller of a session, heard. */
  told: {
    model: (handle: string): TemplateResult =>
      html`The model got the handle <code>${handle}</code>. It reads neither the result nor whether the call went well.`,
    caller: (handle: string): TemplateResult =>
      html`The caller got the handle <code>${handle}</code>. It reads neither the result nor whether the call went well.`,
  },
  labels: 'Labels',
  noLabels: 'none',
  sources: 'Its data may come from',
  steps: 'It was given the values of',
  stepsOf: (steps: readonly number[]): string => `${steps.length === 1 ? 'step' : 'steps'} ${list(steps.map(String))}`,
  show: 'Show the outcome',
  hide: 'Hide it',
  value: 'The held value',
  erased: 'The value is not in this run: left out of its file, or erased.',
  reading: 'Reading…',

  /** Why no person was asked about the held values of a call. */
  unasked: {
    title: 'Why nobody was asked',
    accepted: 'The grant accepts these values at their places:',
    unlabelled: 'Its held values are neither private nor untrusted.',
    inside: 'The call ran in the sandbox, and nothing left it. What it came to is held with the same labels:',
    pure: 'The tool only computes, and sends and changes nothing:',
    answered: 'An earlier answer of a person in this run covers these values:',
    all: 'all arguments',
  },

  /** A value in the words of a model. */
  words: {
    about: (handle: string): string => `Value ${handle}, which the model has not read`,
    missing: {
      unknown: 'no such value in this run',
      erased: 'this value was erased',
      failed: 'the call has no value: it failed',
      beyond: 'the value has no such part',
    },
    cut: (characters: number): string => `and ${number(characters)} more characters`,
  },
};

export type HeldTexts = typeof en;
export const held: Area<HeldTexts> = area('held', en);
