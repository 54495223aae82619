import type { Hold } from '../../../core/index.ts';
import { readSetting, writeSetting } from './local-storage.ts';

/** Which results this page's runtime holds from models, from its next opening on. */
export const HOLD_CHOICES = ['none', 'untrusted', 'private', 'all'] as const;
export type HoldChoice = (typeof HOLD_CHOICES)[number];

const KEY = 'sallyport.hold';

export function holdChoice(): HoldChoice {
  const kept = readSetting(KEY);
  return HOLD_CHOICES.find((choice) => choice === kept) ?? 'none';
}

export function keepHoldChoice(choice: HoldChoice): void {
  writeSetting(KEY, choice);
}

/** The option of the runtime; undefined where nothing is held. */
export function holdOption(): Hold | undefined {
  const choice = holdChoice();
  return choice === 'none' ? undefined : choice;
}
