import { type Signal, signal } from '@preact/signals-core';

/** The dialog about what is kept is wanted; its code comes with its first use. */
export const keepAsks: Signal<boolean> = signal(false);
