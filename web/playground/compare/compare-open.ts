import { type Signal, signal } from '@preact/signals-core';

/** True while the comparison of two runs is requested; its first use loads its code. */
export const compareAsks: Signal<boolean> = signal(false);
