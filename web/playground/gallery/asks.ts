import { type Signal, signal } from '@preact/signals-core';

/** True from a request for the gallery of scenarios until it opens; its first use loads its code. */
export const galleryAsks: Signal<boolean> = signal(false);
