import type { JsonObject } from '../../../core/index.ts';
import { type ProposeFormTexts, proposeForm } from '../../texts/en/propose-form.ts';

/** Keywords that a form names beside a field, in this order. */
const KEYWORDS: readonly (keyof ProposeFormTexts['hints'])[] = [
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'format',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
];

/** The constraints of a schema as short texts. They are a stranger's words where the schema is. */
export function hintsOf(schema: JsonObject): readonly string[] {
  const texts = proposeForm().hints;
  const type = schema['type'] === 'integer' ? [texts.integer] : [];
  const named = KEYWORDS.flatMap((keyword) => {
    const limit = schema[keyword];
    const hint = texts[keyword];
    if (limit === undefined || typeof limit === 'object') return [];
    if (typeof hint === 'function') return [hint(String(limit))];
    return limit === true ? [hint] : [];
  });
  return [...type, ...named];
}
