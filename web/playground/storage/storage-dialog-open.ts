import { type Signal, signal } from '@preact/signals-core';

/** True while the storage dialog is requested; its first use loads its code. */
export const keepAsks: Signal<boolean> = signal(false);
