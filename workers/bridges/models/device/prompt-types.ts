/** The part of the browsers' Prompt API that is used, by its form. */

/** State of the browser's model: usable now, after a download, or not on this device. */
export type PromptAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

export type PromptSampling = 'most-predictable' | 'predictable' | 'balanced' | 'creative' | 'most-creative';

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Message that a session begins with. The browser never forgets it. */
export interface PromptInstructions {
  readonly role: 'system';
  readonly content: string;
}

interface PromptExpected {
  type: 'text';
  languages: string[];
}

/** Terms on which the browser says whether it has a model. */
export interface PromptTerms {
  readonly expectedInputs: PromptExpected[];
  readonly expectedOutputs: PromptExpected[];
  readonly samplingMode: PromptSampling;
}

export interface PromptCreation extends PromptTerms {
  /** Ends the creation, and the session at any later time. */
  readonly signal: AbortSignal;
  readonly monitor?: (monitor: EventTarget) => void;
  readonly initialPrompts?: [] | [PromptInstructions];
}

export interface PromptConstraint {
  readonly responseConstraint: Record<string, unknown>;
  readonly omitResponseConstraintInput: true;
}

/** A session: the model with the messages that it has heard. */
export interface PromptSession {
  promptStreaming(
    input: PromptMessage[],
    options: PromptConstraint & { readonly signal: AbortSignal },
  ): ReadableStream<string>;
  /** Tokens of these messages. */
  measureContextUsage(
    input: PromptMessage[],
    options: PromptConstraint & { readonly signal: AbortSignal },
  ): Promise<number>;
  /** Tokens that the session has heard. */
  readonly contextUsage: number;
  /** Tokens that the session can hear; may be infinite. */
  readonly contextWindow: number;
  destroy(): void;
}

/** `LanguageModel` of a page. */
export interface PromptApi {
  availability(terms: PromptTerms): Promise<PromptAvailability>;
  create(creation: PromptCreation): Promise<PromptSession>;
}
