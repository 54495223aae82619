import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Break out',
  goal: 'Twelve attacks are registered, enabled and granted, so they run. Guess what ends each attack, then see it, and see what it leaves behind.',
  predict: {
    question: 'A guest hangs in native code, where no fuel is counted. What stops it?',
    answers: [
      'Nothing: the page freezes.',
      'Its fuel runs out.',
      'A watchdog ends its worker, and a spare goes on.',
    ] as Answers,
    because:
      'Fuel counts the operations of the guest’s own code. Native code has a deadline, and a watchdog ends the worker that passes it.',
  },
  honest: 'An honest call',
  /** What each attack shows; the hint is its title. */
  says: {
    loop: 'Run out of fuel.',
    native: 'Hang in native code: the worker is killed.',
    memory: 'Run out of memory.',
    stack: 'Run out of stack.',
    promises: 'Hit a limit other than fuel: promise jobs.',
    output: 'Return more bytes than an answer may have.',
    console: 'Write more to the console than it may hold.',
    globals: 'Look for a way out. The attack runs to its end and finds none.',
    pollute: 'Change every prototype, then make an honest call: its heap is as new.',
  },
  thenHonest: (attack: string): string => `${attack}, then an honest call`,
  why: 'Every call starts from the same memory, byte for byte. The host enforces the limits from outside, so code in the sandbox cannot talk its way out.',
};

export type BreakOutTexts = typeof en;
export const breakOut: Area<BreakOutTexts> = area('lessons/break-out', en);
