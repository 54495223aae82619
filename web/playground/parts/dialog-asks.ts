import { type Signal, signal } from '@preact/signals-core';

// Requests for dialogs whose code is loaded with the first: a request stands until its dialog has opened.

/** True while the comparison of two runs is requested. */
export const compareAsks: Signal<boolean> = signal(false);

/** True while the gallery of scenarios is requested. */
export const galleryAsks: Signal<boolean> = signal(false);

/** True while the storage dialog is requested. */
export const keepAsks: Signal<boolean> = signal(false);

/** True while a proposal of a person that another view wrote waits for the focus on *Send*. */
export const sendAsks: Signal<boolean> = signal(false);

/** Name of the capability for which a rule is to be proposed. */
export const ruleAsks: Signal<string | undefined> = signal(undefined);

/** Where the copied code will run: a Node program, a page with a bundler, or a page with the element. */
export const CODE_PLACES = ['node', 'page', 'embed'] as const;
export type CodePlace = (typeof CODE_PLACES)[number];

/** The place for which the code of the setup is requested. */
export const codeAsks: Signal<CodePlace | undefined> = signal(undefined);
