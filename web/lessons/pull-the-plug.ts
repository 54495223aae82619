import type { Lesson } from './lesson.ts';

export const PULL_THE_PLUG: Lesson = {
  number: 12,
  title: 'Pull the plug',
  minutes: 5,
  goal: 'Take a few steps in the Run panel, reload the page in the middle, and take the run to its end. Then let the ledger say what happened.',
  predict: {
    question: 'The page goes away between two steps. What happens to the run?',
    answers: [
      'It starts from the beginning.',
      'It is lost.',
      'It goes on where it stood, and says that it was interrupted.',
    ],
    right: 2,
    because:
      'A step counts once its receipt is on the disk. What was acknowledged stays, and coming back is a record of its own.',
  },
  capabilities: [],
  grants: [],
  place: 'page',
  starters: [],
  tasks: [
    {
      say: 'One run on this device has receipts from before and from after it was taken up again, and an end.',
      hint: 'Run: Step, Step; reload this page; Run; answer the question.',
      steps: [
        [{ kind: 'receipt', body: {} }],
        [{ kind: 'state', body: { event: 'resumed' } }],
        [{ kind: 'receipt', body: { receipt: { status: 'SUCCESS' } } }],
        [{ kind: 'seal', body: { state: 'completed' } }],
      ],
    },
  ],
  why: 'Nothing runs that was not written down first, and nothing that was written down runs twice. That is why pulling the plug is boring.',
  key: [{ unplug: true }],
};
