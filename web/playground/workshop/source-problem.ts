import { SallyportError } from '../../../core/index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Problem } from './draft.ts';

/** Why a source could not be loaded, at its line where that is known. */
export function sourceProblem(error: unknown): Problem {
  const field = 'source';
  if (!(error instanceof SallyportError)) return { field, message: sentenceOf(error), lang: 'en' };
  const { message, details, line, column } = error;
  const { reason } = details;
  return {
    field,
    message: typeof reason === 'string' ? reason : message,
    lang: 'en',
    ...(line === undefined ? {} : { line, column: column ?? 1 }),
  };
}

/** True for a fault that an author corrects in the source. */
export function isOfSource(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'source_refused';
}
