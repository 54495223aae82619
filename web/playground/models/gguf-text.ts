import { sentenceOf } from '../../shared/error-text.ts';
import { byteSize } from '../../texts/amounts.ts';
import { models } from '../../texts/en/models.ts';

/** The reason why a file was not kept or loaded, and the remedy. */
export function troubleText(error: unknown): string {
  const { details } = Object(error) as { readonly details?: { readonly [member: string]: unknown } };
  const { fault, used, limit } = details ?? {};
  const texts = models().gguf;
  const size = (bytes: unknown): string => (typeof bytes === 'number' ? byteSize(bytes) : texts.unknown);
  switch (fault) {
    case 'not_gguf':
      return texts.notGguf;
    case 'cut':
      return limit === undefined ? texts.cutInHead(size(used)) : texts.cut(size(used), size(limit));
    case 'too_large':
      return texts.tooLarge(size(used), size(limit));
    case 'no_memory':
      return texts.noMemory;
    case 'no_memory64':
      return texts.noMemory64;
    case 'not_loaded':
      return texts.notLoaded;
    default:
      return sentenceOf(error);
  }
}
