import { effect, type Signal, signal } from '@preact/signals-core';
import { readSetting, writeSetting } from '../parts/local-storage.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type ThemeName = (typeof THEMES)[number];

export interface Themes {
  readonly chosen: Signal<ThemeName>;
  turn(): void;
  /** Half as large again, for a room: the layout follows by itself. */
  readonly projector: Signal<boolean>;
  project(): void;
}

const KEY = 'sallyport.theme';

/** The reader's choice, kept on this device where it lets us; `auto` follows the system. */
export function openThemes(): Themes {
  const chosen = signal<ThemeName>(THEMES.find((name) => name === readSetting(KEY)) ?? 'auto');
  effect(() => {
    document.documentElement.dataset['theme'] = chosen.value;
    writeSetting(KEY, chosen.value);
  });
  const projector = signal(false);
  effect(() => void document.documentElement.toggleAttribute('data-projector', projector.value));
  return {
    chosen,
    projector,
    project: () => {
      projector.value = !projector.value;
    },
    turn: () => {
      chosen.value = THEMES[(THEMES.indexOf(chosen.value) + 1) % THEMES.length] ?? 'auto';
    },
  };
}
