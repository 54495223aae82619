import { signal } from '@preact/signals-core';
import { describe, expect, it } from 'vitest';
import { openDraftUndo } from '../../../../web/playground/parts/draft-undo.ts';

function opened(first = '') {
  const draft = signal(first);
  return { draft, undo: openDraftUndo(draft) };
}

describe('a draft whose text the page replaces', () => {
  it('keeps the typed text and brings it back', () => {
    const { draft, undo } = opened();
    draft.value = 'typed';
    undo.put('the page');
    expect([draft.value, undo.replaced.value, undo.isFresh()]).toEqual(['the page', 'typed', true]);
    undo.undo();
    expect([draft.value, undo.replaced.value, undo.isFresh()]).toEqual(['typed', undefined, false]);
  });

  it('keeps a text that an earlier visit typed', () => {
    const { undo } = opened('typed yesterday');
    undo.put('the page');
    expect(undo.replaced.value).toBe('typed yesterday');
  });

  it('does not keep the text that a fresh draft has from the page', () => {
    const draft = signal('a starter');
    const undo = openDraftUndo(draft, 'a starter');
    undo.put('another starter');
    expect(undo.replaced.value).toBeUndefined();
  });

  it('keeps no text of the page, no sent text and no blank text', () => {
    const { draft, undo } = opened();
    draft.value = ' \n';
    undo.put('first');
    undo.put('second');
    expect(undo.replaced.value).toBeUndefined();
    draft.value = 'sent';
    undo.sent();
    undo.put('third');
    expect(undo.replaced.value).toBeUndefined();
  });

  it('keeps the typed text while the page writes several texts, and after one of them was sent', () => {
    const { draft, undo } = opened();
    draft.value = 'typed';
    for (const text of ['a', 'ab', 'abc']) undo.put(text);
    undo.sent();
    undo.put('d');
    undo.undo();
    expect(draft.value).toBe('typed');
  });

  it('keeps a changed text of the page when the typed text comes back', () => {
    const { draft, undo } = opened();
    draft.value = 'typed';
    undo.put('the page');
    draft.value = 'the page, changed';
    expect(undo.isFresh()).toBe(false);
    undo.undo();
    expect([draft.value, undo.replaced.value]).toEqual(['typed', 'the page, changed']);
    undo.undo();
    expect([draft.value, undo.replaced.value]).toEqual(['the page, changed', 'typed']);
  });

  it('does nothing for the text that is there already, or without a replaced text', () => {
    const { draft, undo } = opened();
    draft.value = 'typed';
    undo.put('typed');
    undo.undo();
    expect([draft.value, undo.replaced.value]).toEqual(['typed', undefined]);
  });

  it('forgets a replaced text that was sent', () => {
    const { draft, undo } = opened();
    draft.value = 'typed';
    undo.put('the page');
    draft.value = 'typed';
    undo.sent();
    expect(undo.replaced.value).toBeUndefined();
  });
});
