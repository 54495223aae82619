import { ASK_A_PERSON } from './ask-a-person.ts';
import { BREAK_OUT } from './break-out.ts';
import { ERRORS_ARE_ANSWERS } from './errors-are-answers.ts';
import { FLIP_ONE_BYTE } from './flip-one-byte.ts';
import { FORM_IS_NOT_MEANING } from './form-is-not-meaning.ts';
import type { Lesson } from './lesson.ts';
import { ONLY_TEXT } from './only-text.ts';
import { POISONED_NOTE } from './poisoned-note.ts';
import { PULL_THE_PLUG } from './pull-the-plug.ts';
import { SIX_GATES } from './six-gates.ts';
import { SMALL_WINDOWS } from './small-windows.ts';
import { VALID_IS_NOT_ALLOWED } from './valid-is-not-allowed.ts';
import { WHAT_A_CHAIN_CANNOT_PROVE } from './what-a-chain-cannot-prove.ts';
import { WRITE_A_CAPABILITY } from './write-a-capability.ts';

/** The thirteen lessons, in the order they build on each other. */
export const LESSONS: readonly Lesson[] = [
  ONLY_TEXT,
  SIX_GATES,
  ERRORS_ARE_ANSWERS,
  VALID_IS_NOT_ALLOWED,
  ASK_A_PERSON,
  BREAK_OUT,
  WRITE_A_CAPABILITY,
  SMALL_WINDOWS,
  POISONED_NOTE,
  FLIP_ONE_BYTE,
  WHAT_A_CHAIN_CANNOT_PROVE,
  PULL_THE_PLUG,
  FORM_IS_NOT_MEANING,
];
