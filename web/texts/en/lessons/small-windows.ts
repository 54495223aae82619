import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Small windows',
  goal: 'Find out how the mill is paid, within 1,000 bytes. A symbol names a place in a paper. A window of it has a beginning and an end, and both are recorded.',
  predict: {
    question: 'The model asks for ALL of a file. What does it get?',
    answers: ['The file.', 'The beginning of the file.', 'A refusal, and the kinds of window there are.'] as Answers,
    because: 'ALL has no end, so it is not a window. Silently returning a part of the file would mislead the model.',
  },
  starters: {
    everything: 'Everything',
    much: 'Forty lines',
    window: 'Seven lines',
    write: 'A line more',
  },
  tasks: {
    everything: { say: 'Ask for everything, and be refused.', hint: 'slice: ALL' },
    much: {
      say: 'Ask for more than 1,000 bytes, and be refused before any byte is read.',
      hint: 'head(40) of @BAKERY/SUPPLIERS',
    },
    window: {
      say: 'Read the seven lines. The receipt names the text by its hash, and the run now has the labels private and untrusted.',
      hint: 'head(7) of @BAKERY/PAYING',
    },
    write: {
      say: 'Write a line into the section. The card shows the change and asks you: approve it.',
      hint: 'The message names the hash of the text it replaces. If the text has changed since, nothing is written.',
    },
    gone: {
      say: 'Change the paper, then ask for the same window: the symbol’s section is gone, and no other takes its place.',
      hint: 'Change it below, then send the seven lines again.',
    },
  },
  why: 'A small window costs less, leaks less and can be quoted exactly: its hash names the exact text. The run records the labels of the text it read. The next lesson shows why.',
};

export type SmallWindowsTexts = typeof en;
export const smallWindows: Area<SmallWindowsTexts> = area('lessons/small-windows', en);
