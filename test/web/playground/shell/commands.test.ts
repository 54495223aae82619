import { describe, expect, it } from 'vitest';
import { commandsFor } from '../../../../web/playground/shell/commands.ts';

describe('the commands of the playground', () => {
  const commands = ['Next problem', 'Projector mode', 'Go to Audit'].map((word) => ({ word, key: '', act: () => {} }));

  it('commands are found by any of their words, and a command that begins with them comes first', () => {
    expect(commandsFor(commands, 'pro').map(({ word }) => word)).toEqual(['Projector mode', 'Next problem']);
    expect(commandsFor(commands, 'audit go').map(({ word }) => word)).toEqual(['Go to Audit']);
    expect(commandsFor(commands, 'zzz')).toEqual([]);
  });
});
