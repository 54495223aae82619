import { describe, expect, it } from 'vitest';
import { bindingFor } from '../../../../web/playground/shell/key-bindings.ts';

describe('a key in the playground', () => {
  const press = (key: string, over: object = {}) =>
    bindingFor({ key, modified: false, typing: false, lettersOff: false, inRun: true, ...over })?.word;

  it('the key s steps', () => expect(press('s')).toBe('Step'));
  it('a key has no command while a person types', () => expect(press('s', { typing: true })).toBeUndefined());
  it('a letter has no command when letters are off, but F10 still steps', () => {
    expect(press('s', { lettersOff: true })).toBeUndefined();
    expect(press('F10', { lettersOff: true })).toBe('Step');
  });
  it('a key has no command for a run that is not on the screen', () =>
    expect(press('Escape', { inRun: false })).toBeUndefined());
  it('Control with s exports the run, also while a person types', () => {
    expect(press('s', { modified: true, typing: true })).toBe('Export or send this run');
    expect(press('r', { modified: true })).toBeUndefined();
  });
  it.each(['a', 'y', 'Enter', ' '])('the key %j has no command, and so cannot approve', (key) =>
    expect(press(key)).toBeUndefined(),
  );
});

describe('a chord in the playground', () => {
  const press = { key: 'a', modified: false, typing: false, lettersOff: false, inRun: false };

  it('a chord goes to a view from anywhere', () => {
    expect(bindingFor({ ...press, after: 'g' })?.word).toBe('Go to Audit');
    expect(bindingFor(press)).toBeUndefined();
  });

  it('a chord has no command when letters are off or while a person types', () => {
    expect(bindingFor({ ...press, after: 'g', lettersOff: true })).toBeUndefined();
    expect(bindingFor({ ...press, after: 'g', typing: true })).toBeUndefined();
  });

  it('Control with k opens the commands, also while a person types', () => {
    expect(bindingFor({ ...press, key: 'k', modified: true, typing: true })?.word).toBe('All commands');
  });
});
