import { describe, expect, it } from 'vitest';
import { bindingFor } from '../../../../web/playground/shell/key-bindings.ts';

describe('a key', () => {
  const press = (key: string, over: object = {}) =>
    bindingFor({ key, modified: false, typing: false, lettersOff: false, inRun: true, ...over })?.word;

  it('steps', () => expect(press('s')).toBe('Step'));
  it('does nothing while someone types', () => expect(press('s', { typing: true })).toBeUndefined());
  it('does nothing when letters are off, but F10 still steps', () => {
    expect(press('s', { lettersOff: true })).toBeUndefined();
    expect(press('F10', { lettersOff: true })).toBe('Step');
  });
  it('does nothing to a run that is not on the screen', () =>
    expect(press('Escape', { inRun: false })).toBeUndefined());
  it('is another key with a modifier: what saves elsewhere exports, also while someone types', () => {
    expect(press('s', { modified: true, typing: true })).toBe('Export this run');
    expect(press('r', { modified: true })).toBeUndefined();
  });
  it.each(['a', 'y', 'Enter', ' '])('%j approves nothing', (key) => expect(press(key)).toBeUndefined());
});

describe('a chord', () => {
  const press = { key: 'a', modified: false, typing: false, lettersOff: false, inRun: false };

  it('goes to a view from anywhere', () => {
    expect(bindingFor({ ...press, after: 'g' })?.word).toBe('Go to Audit');
    expect(bindingFor(press)).toBeUndefined();
  });

  it('is off with the other letters, and means nothing to whoever types', () => {
    expect(bindingFor({ ...press, after: 'g', lettersOff: true })).toBeUndefined();
    expect(bindingFor({ ...press, after: 'g', typing: true })).toBeUndefined();
  });

  it('with Control opens the commands, also while someone types', () => {
    expect(bindingFor({ ...press, key: 'k', modified: true, typing: true })?.word).toBe('All commands');
  });
});
