import { type Signal, signal } from '@preact/signals-core';

/** True from a request for the storage dialog until it opens; its first use loads its code. */
export const keepAsks: Signal<boolean> = signal(false);
