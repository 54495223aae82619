import { effect, type Signal, signal } from '@preact/signals-core';

/** A choice that this device remembers. Storage may be refused altogether: a choice then lasts as long as the page. */
export function readSetting(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    return;
  }
}

/** Forgets all of them. */
export function clearSettings(): void {
  try {
    localStorage.clear();
  } catch {
    return;
  }
}

/** Storing more with every key would be felt. */
const UNITS_MAX = 100_000;

/** A text field's content, stored as it is typed, so that closing the page does not lose it. */
export function storedText(key: string, first: string): Signal<string> {
  const text = signal(readSetting(key) ?? first);
  effect(() => {
    if (text.value !== readSetting(key) && text.value.length <= UNITS_MAX) writeSetting(key, text.value);
  });
  return text;
}
