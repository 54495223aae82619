import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Pull the plug, play it again',
  goal: 'Reload the page in the middle of a run, and finish the run. Then run a recorded run of dice again, and see when the result differs.',
  predict: {
    question: 'The page goes away between two steps. What happens to the run?',
    answers: [
      'It starts from the beginning.',
      'It is lost.',
      'It goes on where it stood, and says that it was interrupted.',
    ] as Answers,
    because: 'A step counts once its receipt is on the disk. Resuming adds a record of its own.',
  },
  starters: {},
  tasks: {
    resume: {
      say: 'Finish a run that you interrupted by reloading the page.',
      hint: 'Run: Step, Step; reload this page; Run; answer the question.',
    },
    replay: {
      say: 'Another run of yours rolled dice twice. Run it again: the same numbers come up, because the ledger stored them.',
      hint: '“Run it again” is below the checks.',
    },
    cost: {
      say: 'In a copy, lower the recorded cost of a roll, with every hash made anew. Run the copy again: the cost differs.',
      hint: 'Change a cost, then “Run it again”.',
    },
  },
  why: 'A call is recorded before it runs, and a recorded call never runs twice, so an interrupted run loses nothing. Random numbers are recorded too, so every reader of the ledger can run it again and compare.',
};

export type PullThePlugTexts = typeof en;
export const pullThePlug: Area<PullThePlugTexts> = area('lessons/pull-the-plug', en);
