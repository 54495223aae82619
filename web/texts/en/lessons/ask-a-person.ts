import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'Ask a person',
  goal: 'The grant says to ask you. Approve one call. Deny another, and give a reason.',
  predict: {
    question: 'You approve one call. The model makes the same call again. What then?',
    answers: ['You are asked again.', 'It runs: you have said yes already.', 'It is denied.'] as Answers,
    because:
      'Your yes covers one call: this capability, these arguments, this step. For more than one call you choose a wider yes on the card.',
  },
  starters: { note: 'Keep the shopping list', other: 'Raise the wages' },
  tasks: {
    approved: {
      say: 'Approve a call. The ledger then holds the question, your yes and the receipt.',
      hint: 'The card shows the exact arguments that will run.',
    },
    denied: {
      say: 'Deny a call and give a reason. The model is told the reason.',
      hint: 'Press Reason…, type it, then Deny.',
    },
  },
  why: 'A person’s no, a policy’s no and an expired grant have different codes. The ledger records which it was, and the question.',
};

export type AskAPersonTexts = typeof en;
export const askAPerson: Area<AskAPersonTexts> = area('lessons/ask-a-person', en);
