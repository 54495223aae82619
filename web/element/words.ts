import type { WhyAsked } from '../records/why-asked.ts';
import type { Tables } from '../texts/area.ts';

/** Every English text of the element, to be replaced by `element.words = { … }`. `{name}` stands for a value. */
const WORDS = {
  ready: 'Ready',
  starting: 'Starting',
  preparing: 'Preparing the ledger of this device: {percent} %',
  running: 'Running',
  paused: 'Paused',
  waiting: 'Waiting for approval',
  older: 'This page is older than its site, and a file that it needs is gone. Reload the page.',
  reload: 'Reload the page',
  unanswered: 'The model gave no answer. Run asks again.',
  completed: 'Completed',
  failed: 'Failed',
  aborted: 'Aborted',
  limit: 'Stopped by a limit',
  step: 'Step',
  run: 'Run',
  pause: 'Pause',
  abort: 'Abort',
  gates: 'Gates',
  gate_passed: 'passed',
  gate_stopped: 'stopped here',
  gate_waiting: 'waits for a person',
  gate_running: 'under way',
  gate_skipped: 'not needed',
  gate_never: 'never reached',
  gate_ahead: 'ahead',
  records: 'Records',
  saying: 'What the model is saying',
  asking: 'Waiting for {model}, {seconds} s',
  cancel: 'Cancel',
  approve: 'Approve once',
  deny: 'Deny',
  edit: 'Edit…',
  edit_label: 'Arguments as JSON',
  edit_show: 'Show the change',
  edit_again: 'Edit again',
  edit_back: 'Back',
  edit_changes: 'What you have changed:',
  edit_none: 'nothing',
  edit_told: 'The model hears that you have replaced its call, and what came of yours.',
  edit_json: 'This is no JSON.',
  approve_edited: 'Approve the edited call',
  question: 'Approve {capability}?',
  consent: 'May private content go to {origin}?',
  amount: '{bytes} bytes now, and never more than {bytes_max} at once in this run.',
  leaving: 'Show the text that would go there',
  allow: 'Allow in this run',
  effect_pure: 'It computes, and changes nothing.',
  effect_read: 'It reads, and changes nothing.',
  effect_write: 'It changes data.',
  effect_egress: 'It sends data out of this device.',
  declared: 'A person has declared that for this definition.',
  origin: 'Its arguments go to',
  carries: 'Values that the model has not read:',
  carries_all: 'all arguments',
  carries_more: '{places} more places',
  carries_step: 'step {step}',
  releases:
    'Its small result is told to the model: {bits} bits at most. Of the grant {charged} are used then, {left} left.',
  drops: 'Whoever wrote the value may choose among these answers.',
  label_private: 'private',
  label_untrusted: 'untrusted',
  covered: 'This question is covered, or part of it is off the screen. Uncover it or scroll to it, then answer.',
  uncertain:
    'A page around this frame could cover this question, and this browser cannot tell. Approve it in a window of its own.',
  asked_by: 'Asked by {origin}',
  open: 'Open in a window…',
  elsewhere: 'Answer it in the window that has opened.',
  blocked: 'The window was blocked: allow pop-up windows for this page, or deny.',
  as_text: 'As text:',
  arguments: 'Arguments',
  arguments_end: 'End of the arguments',
  folded: '{characters} characters, {hidden} of them not shown.',
  unfold: 'Show all',
  unfolded: '{characters} characters. The text scrolls.',
  unread_folded: 'Show all of the arguments before you approve.',
  unread: 'Scroll to the end of the arguments before you approve.',
  lookalike: 'Some letters here may not be what they look like: a word mixes two alphabets or could be read as Latin.',
  held: 'Value {handle}, which the model has not read',
  held_show: 'Show the outcome',
  held_hide: 'Hide it',
  held_unknown: 'no such value in this run',
  held_erased: 'this value was erased',
  held_failed: 'the call has no value: it failed',
  held_beyond: 'the value has no such part',
  held_more: 'and {characters} more characters',
  idle: 'Not started. Nothing leaves this device.',
  locked: 'Kernel locked: it and its sandboxes have no network, and the browser enforces it.',
  unlocked:
    'Kernel unlocked: its file, or that of its sandbox, was served without its policy header, so the network is open.',
  development: 'Development server: the kernel may load modules from it.',
  node: '',
  memory: 'Kept in memory only: it ends with this page.',
  frame: 'The agent runs in a frame of {origin}',
} as const;

export type RunWords = { readonly [W in keyof typeof WORDS]: string };
export type Word = keyof RunWords;

/** The texts of the element in a language: its own words, and the tables of the areas that it shows. */
export interface SpokenTexts {
  readonly words: RunWords;
  readonly tables?: Partial<Tables>;
  /** Why a person is asked; absent for English, which the question itself has. */
  readonly reasons?: { readonly [W in WhyAsked]: string };
}

export const DEFAULT_WORDS: RunWords = WORDS;
