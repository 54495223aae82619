import { sentenceOf } from '../../shared/error-text.ts';

/** A number of bytes for a person. */
export function sizeText(bytes: number): string {
  const [divisor, unit] = SIZES.find(([least]) => bytes >= least) ?? [1, 'bytes'];
  const figure = bytes / divisor;
  return `${figure.toLocaleString(undefined, { maximumFractionDigits: figure < 10 ? 1 : 0 })} ${unit}`;
}

const SIZES: readonly (readonly [number, string])[] = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
];

/** The reason why a file was not kept or loaded, and the remedy. */
export function troubleText(error: unknown): string {
  const { details } = Object(error) as { readonly details?: { readonly [member: string]: unknown } };
  const { fault, used, limit } = details ?? {};
  const size = (bytes: unknown): string => (typeof bytes === 'number' ? sizeText(bytes) : 'unknown');
  switch (fault) {
    case 'not_gguf':
      return 'This file is no model in the GGUF format. Pick a file that ends in .gguf.';
    case 'cut':
      return limit === undefined
        ? `This file is cut: it ends after ${size(used)}, inside its head. Download it again.`
        : `This file is cut: it has ${size(used)} of ${size(limit)}. Download it again.`;
    case 'too_large':
      return `This model needs ${size(used)} of memory, and ${size(limit)} is the limit here: the engine’s addresses end at 4 GB, and the device may have less. Pick a smaller model, or one with fewer bits a weight (Q4).`;
    case 'no_memory':
      return 'The browser does not have the memory for this model now. Close other tabs, or pick a smaller model.';
    case 'no_memory64':
      return 'This browser lacks 64-bit memories for WebAssembly, which the engine needs. A current Chromium or Firefox has them.';
    case 'not_loaded':
      return 'The engine does not know this model. Its file may be a part of a model, or newer than the engine.';
    default:
      return sentenceOf(error);
  }
}
