import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

interface ReleaseCounts {
  readonly bits: number;
  readonly charged: number;
  readonly left: number;
  readonly drops?: readonly 'untrusted'[];
}

const en = {
  /** What each effect does. */
  effects: {
    pure: 'It computes, and changes nothing.',
    read: 'It reads, and changes nothing.',
    write: 'It changes data.',
    egress: 'It sends data out of this device.',
  },
  /** The extents of an approval, and the button that gives it. */
  scopes: {
    once: { word: 'This call, once', button: 'Approve once' },
    thrice: { word: 'These arguments, 3 times', button: 'Approve 3 times' },
    same: { word: 'These arguments, until the run ends', button: 'Approve for this run' },
    any: { word: 'Any arguments, until the run ends', button: 'Approve all in this run' },
  },
  title: (capability: unknown): TemplateResult => html`Approve <span class="mono">${capability}</span>?`,
  body: 'What would happen',
  effect: (effect: string): string => `Effect: ${effect}.`,
  /** Why a person is asked, as the kernel says it. */
  reasons: {
    grant: 'The grant says to ask.',
    untrusted: 'The model has read content from outside, which may have told it to do this.',
    private_and_untrusted:
      'The model has read private content and content from outside, and this call sends something out.',
    held: 'It carries values that the model has not read, at a place that the grant does not accept them at.',
    held_private: 'It sends out a private value that the model has not read. Content from outside may have led to it.',
    authorizer: 'A grant permits it, and the rules of this program’s authorizer have to as well.',
  },
  declared: 'A person has declared that for this definition.',
  /** Values in the arguments that the model has not read. */
  carries: {
    title: 'Values that the model has not read',
    all: 'all arguments',
    more: (places: number): string => plural(places, { one: '# more place', other: '# more places' }),
    step: (step: number): string => `step ${step}`,
  },
  /** The bits of a release: of the call, and of its grant. */
  releases: ({ bits, charged, left, drops }: ReleaseCounts): string =>
    `Its small result is told to the model: ${plural(bits, { one: '# bit', other: '# bits' })} at most. Of the grant ${number(charged)} are used then, ${number(left)} left.${drops === undefined ? '' : ' Whoever wrote the value may choose among these answers.'}`,
  goesTo: (origin: unknown): TemplateResult => html`Its arguments go to <bdi class="mono">${origin}</bdi>`,
  asText: (place: unknown): TemplateResult => html`As text: <bdi class="mono">${place}</bdi>`,
  arguments: 'The exact arguments',
  end: (characters: number): string => `${plural(characters, { one: '# character', other: '# characters' })}, to here.`,
  unseen: (characters: number): string =>
    `${plural(characters, { one: '# character', other: '# characters' })} here would be invisible. Written out above.`,
  lookalike: (words: number): string =>
    `${plural(words, { one: '# word', other: '# words' })} here in letters that may not be what they look like.`,
  digest: (digest: string): TemplateResult =>
    html`Your answer counts for this call alone. Digest <span class="mono">${digest}</span>`,
  allowed: 'What have I allowed?',
  readFirst: 'Scroll to the end of the arguments before you approve.',
  covers: 'Your yes covers',
  deny: 'Deny',
  denyWhy: 'Deny with a reason',
  reason: 'Reason…',
  reasonField: 'Reason, told to the model',
  back: 'Back',
  /** A person edits the arguments, and approves the edited call in the place of the proposed one. */
  edit: {
    edit: 'Edit…',
    show: 'Show the change',
    again: 'Edit again',
    approve: 'Approve the edited call',
    changes: 'What you have changed',
    absent: 'not there',
    gone: 'left out',
    told: 'The model hears that you have replaced its call, and what came of yours. Your yes covers this call alone.',
  },

  consent: {
    title: (origin: unknown): TemplateResult => html`Let private content go to <span class="mono">${origin}</span>?`,
    body: 'What would leave this device',
    amount: (now: number, later: number): TemplateResult =>
      html`<strong>${byteCount(now)} now</strong>, and up to ${byteCount(later)} with each later request of this run: everything the model is shown. Some of it is private. This page cannot see or undo the server’s use of it.`,
    /** The text that would leave, folded. */
    text: {
      show: (texts: number): string => `Show the text (${plural(texts, { one: '# part', other: '# parts' })})`,
      kinds: { task: 'Your task', proposal: 'The model’s proposal', observation: 'The reply to it' },
      reading: 'It is being read…',
      missing: 'It cannot be shown: its bytes are gone, or are not what their hash says.',
    },
    refusing: 'Refusing ends the run, because its model could be sent no further request. Either answer is recorded.',
    where: 'All of it is in the ledger: the task, and each reply under Result.',
    no: 'No, end the run',
    yes: 'Send it there',
  },
};

export type ApprovalTexts = typeof en;
export const approval: Area<ApprovalTexts> = area('approval', en);
