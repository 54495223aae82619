import { type Area, area } from '../../area.ts';
import type { Answers } from '../../lesson-texts.ts';

const en = {
  title: 'The right form is not the right meaning',
  goal: 'A small model proposes, in this page. It has learnt that calc.eval takes an “expression”. Here calc.eval has a new version, which takes a “formula”. Give it a sum with the constraint and without.',
  predict: {
    question:
      'A decoder holds the model to the schema of this run, so that it can only write “formula”. What becomes of its sum?',
    answers: [
      'It is refused: the model does not know this tool.',
      'It is right: the schema tells the model what to do.',
      'It has the right form. Whether its value is right, no gate can know.',
    ] as Answers,
    because:
      'The constraint makes the form. The value in it comes from the model, which has never met this tool: read what the receipt says.',
  },
  starters: { sum: 'A sum', pounds: 'Pounds' },
  tasks: {
    free: {
      say: 'Not held to the form: the model names the argument as it has learnt to, and is refused at arguments.',
      hint: 'Switch the form off, ask for the sum, and send what the model says.',
    },
    held: {
      say: 'Held to the form: a call of calc.eval passes the first six gates. Look at what it asks for.',
      hint: 'Switch the form on, and ask for the same sum.',
    },
    known: {
      say: 'A tool that the model knows: form and meaning are right.',
      hint: 'Ask for pounds, with the form or without.',
    },
  },
  why: 'A constraint saves refusals, and costs no safety: the gates judge each proposal as if there were none. It cannot give a model the meaning of a tool. So trust the receipt, and not the words of the model.',
};

export type FormIsNotMeaningTexts = typeof en;
export const formIsNotMeaning: Area<FormIsNotMeaningTexts> = area('lessons/form-is-not-meaning', en);
