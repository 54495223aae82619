import { type Signal, signal } from '@preact/signals-core';

/** True from a request for the comparison of two runs until it opens; its first use loads its code. */
export const compareAsks: Signal<boolean> = signal(false);
