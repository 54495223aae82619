import type { Grant } from '../../../core/index.ts';
import type { IconName } from '../../style/icons.ts';

interface Face {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: 'good' | 'bad' | 'wait';
}

/** How a grant is shown: word, icon and tone say the same thing three ways. */
export const MODES: { readonly [M in Grant['mode']]: Face } = {
  ask: { word: 'asks you each time', icon: 'hand', tone: 'wait' },
  allow: { word: 'allowed', icon: 'check', tone: 'good' },
  deny: { word: 'denied', icon: 'barrier', tone: 'bad' },
};
