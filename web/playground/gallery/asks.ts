import { type Signal, signal } from '@preact/signals-core';

/** True while the gallery of scenarios is requested; its first use loads its code. */
export const galleryAsks: Signal<boolean> = signal(false);
