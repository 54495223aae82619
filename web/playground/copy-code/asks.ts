import { type Signal, signal } from '@preact/signals-core';

/** Where the copied code will run: a Node program, a page with a bundler, or a page with the element. */
export const CODE_PLACES = ['node', 'page', 'embed'] as const;
export type CodePlace = (typeof CODE_PLACES)[number];

/** The place for which the code of the setup is requested, until its dialog opens; its first use loads the dialog. */
export const codeAsks: Signal<CodePlace | undefined> = signal(undefined);
