import { describe, expect, it } from 'vitest';
import { commandsFor } from '../../../../web/playground/shell/commands.ts';

describe('the commands', () => {
  const commands = ['Next problem', 'Projector mode', 'Go to Audit'].map((word) => ({ word, key: '', act: () => {} }));

  it('are found by any of their words, those that begin with them first', () => {
    expect(commandsFor(commands, 'pro').map(({ word }) => word)).toEqual(['Projector mode', 'Next problem']);
    expect(commandsFor(commands, 'audit go').map(({ word }) => word)).toEqual(['Go to Audit']);
    expect(commandsFor(commands, 'zzz')).toEqual([]);
  });
});
