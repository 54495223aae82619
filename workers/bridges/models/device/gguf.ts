import { ModelError } from '../../../../core/model-error.ts';
import { type GgufHead, parseGguf, ShortGguf } from './gguf-head.ts';

/** Facts of a GGUF file, from its head. All of them are claims of the file's author. */
export interface GgufFacts {
  readonly name?: string;
  readonly architecture: string;
  /** Tokens of the context that the model was trained with. */
  readonly contextTokens?: number;
  /** Memory that the engine needs for this file with the context asked for. */
  readonly memoryBytes: number;
}

export interface GgufOptions {
  /** Tokens of the context with which the model will be loaded. */
  readonly contextTokens: number;
  /** Memory for the model, where the program knows that less than an engine's 4 GB are there. */
  readonly memoryBytes?: number;
}

/** Addresses of a WebAssembly engine end here: the memory of wllama's has 65,536 pages at most. */
const ENGINE_BYTES: number = 4 * 2 ** 30;
/** Room for the engine itself and its buffers of a computation. */
const BUFFERS_BYTES: number = 160 * 2 ** 20;

/**
 * Reads the head of a model's file before an engine loads it: an engine may crash over a file that is cut, or run on
 * without a model. Throws a `ModelError` whose `details.fault` is `not_gguf`, `cut` (with `details.used` and
 * `details.limit` in bytes: what is there, and what the head names) or `too_large` (the memory needed, and its limit).
 */
export async function checkGguf(
  file: Blob,
  { contextTokens, memoryBytes = ENGINE_BYTES }: GgufOptions,
): Promise<GgufFacts> {
  const head = await headOf(file);
  if (head.fileBytes > file.size) throw failure('cut', file.size, head.fileBytes);
  const needed = file.size + contextTokens * head.tokenBytes + BUFFERS_BYTES;
  const limit = Math.min(memoryBytes, ENGINE_BYTES);
  if (needed > limit) throw failure('too_large', needed, limit);
  const { name, architecture, trainedTokens } = head;
  return {
    ...(name !== undefined && { name }),
    architecture,
    ...(trainedTokens !== undefined && { contextTokens: trainedTokens }),
    memoryBytes: needed,
  };
}

const FIRST_BYTES: number = 2 ** 20;
/** Vocabularies of a quarter million entries have heads of some 10 MB. */
const HEAD_BYTES_MAX: number = 2 ** 27;

/** Reads more of the file until its head is whole. */
async function headOf(file: Blob): Promise<GgufHead> {
  for (let bytes = FIRST_BYTES; ; bytes *= 4) {
    const part = await file.slice(0, bytes).arrayBuffer();
    try {
      const head = parseGguf(part);
      if (head === undefined) throw failure('not_gguf');
      return head;
    } catch (error) {
      if (!(error instanceof ShortGguf)) throw error;
      if (bytes >= HEAD_BYTES_MAX) throw failure('not_gguf');
      if (bytes >= file.size) throw failure('cut', file.size);
    }
  }
}

const MESSAGES = {
  not_gguf: 'The file is no model in the GGUF format.',
  cut: 'The file of the model is cut: its head names more bytes than it has.',
  too_large: 'The model needs more memory than there is for it.',
} as const;

function failure(fault: keyof typeof MESSAGES, used?: number, limit?: number): ModelError {
  const numbers = { ...(used !== undefined && { used }), ...(limit !== undefined && { limit }) };
  return new ModelError(MESSAGES[fault], { retryable: false }, { fault, ...numbers });
}
