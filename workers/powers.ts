import { callPowers } from '../sandbox/index.ts';
import type { Ports } from './ports.ts';
import type { CarryOut } from './sandbox/port.ts';

/**
 * The powers that need nothing but this device, for one call. A capability has those its definition names; each use is
 * recorded with its answer, so that a replay can give the same. What is not here is refused to the guest as an error.
 */
export function builtInPowers({ now, random }: Pick<Ports, 'now' | 'random'>): CarryOut {
  const { carryOut } = callPowers({ clock: now, random, get: async () => undefined, log: () => undefined });
  return async (name, args) => {
    const answer = PROVIDED.has(name) ? carryOut(name, args) : undefined;
    if (answer === undefined) throw new TypeError(`power ${name} is not provided`);
    return answer;
  };
}

/** Not `store`: what a call puts there has to commit with its receipt. */
const PROVIDED: ReadonlySet<string> = new Set(['clock', 'log', 'random']);
