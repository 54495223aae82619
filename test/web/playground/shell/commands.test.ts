import { signal } from '@preact/signals-core';
import { describe, expect, it } from 'vitest';
import { commandsFor, commandsOf } from '../../../../web/playground/shell/commands.ts';
import type { Face } from '../../../../web/playground/shell/key-bindings.ts';

describe('the commands of the playground', () => {
  const commands = ['Next problem', 'Projector mode', 'Go to Audit'].map((word) => ({ word, key: '', act: () => {} }));

  it('commands are found by any of their words, and a command that begins with them comes first', () => {
    expect(commandsFor(commands, 'pro').map(({ word }) => word)).toEqual(['Projector mode', 'Next problem']);
    expect(commandsFor(commands, 'audit go').map(({ word }) => word)).toEqual(['Go to Audit']);
    expect(commandsFor(commands, 'zzz')).toEqual([]);
  });

  it('commands lead to the workshop and to Break out, and send the run that Audit has open', () => {
    const asked: string[] = [];
    const store = {
      view: signal('audit'),
      session: signal(undefined),
      themes: { chosen: signal('auto'), projector: signal(false) },
      place: { part: signal('catalogue') },
      audit: { file: signal<object | undefined>(undefined) },
    };
    const face = { store, exportRun: () => asked.push('export') } as unknown as Face;
    const words = (): readonly string[] => commandsOf(face).map(({ word }) => word);
    const act = (text: string): void => commandsFor(commandsOf(face), text)[0]?.act(face);
    expect(words()).not.toContain('Export or send this run');
    store.audit.file.value = {};
    expect(words()).toEqual(expect.arrayContaining(['Export or send this run', 'Read an exported run']));
    act('send this run');
    expect(asked).toEqual(['export']);
    act('break out');
    expect([store.view.value, store.place.part.value]).toEqual(['capabilities', 'breakout']);
    act('workshop');
    expect(store.place.part.value).toBe('workshop');
  });
});
