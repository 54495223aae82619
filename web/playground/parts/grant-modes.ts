import type { Grant } from '../../../core/index.ts';
import type { IconName } from '../../style/icons.ts';
import { parts } from '../../texts/en/parts.ts';

interface Face {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: 'good' | 'bad' | 'wait';
}

/** Face of each grant mode: word, icon and tone have the same meaning. */
export const MODES: { readonly [M in Grant['mode']]: Face } = {
  ask: faceOf('ask', 'hand', 'wait'),
  allow: faceOf('allow', 'check', 'good'),
  deny: faceOf('deny', 'barrier', 'bad'),
};

function faceOf(mode: Grant['mode'], icon: IconName, tone: Face['tone']): Face {
  return {
    icon,
    tone,
    get word() {
      return parts().modes[mode];
    },
  };
}

const STRICTEST = ['deny', 'ask', 'allow'] as const;

/** The mode that decides a call where several grants name its capability; undefined without a grant. */
export function strictestOf(grants: readonly Pick<Grant, 'mode'>[]): Grant['mode'] | undefined {
  return STRICTEST.find((each) => grants.some(({ mode }) => mode === each));
}
