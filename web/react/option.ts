import { SallyportError } from '../../core/index.ts';

/** Throws `option_invalid` for an argument of a hook that can never work. */
export function assertOption(isRight: boolean, name: string, wants: string): void {
  if (isRight) return;
  const details = { name, wants };
  throw new SallyportError('option_invalid', `The option ${name} has to be ${wants}. Correct it.`, details);
}
