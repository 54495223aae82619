import type { JsonObject } from '../../core/json/value.ts';

/** An object with exactly these members. All are required except the members in `optional`. */
export function closed(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function list(items: JsonObject, maxItems: number): JsonObject {
  return { type: 'array', items, maxItems };
}

/** A text that is not empty. */
export function words(maxLength: number, description: string): JsonObject {
  return { type: 'string', minLength: 1, maxLength, description };
}

export function count(maximum: number, description?: string): JsonObject {
  return { type: 'integer', minimum: 0, maximum, ...(description === undefined ? {} : { description }) };
}

export const TEXT: JsonObject = { type: 'string', maxLength: 100_000, description: 'The text itself.' };
export const PATH: JsonObject = words(200, 'Path of a file that comes with this capability, such as "invoices.csv".');
export const DATE: JsonObject = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD' };
export const TIME: JsonObject = {
  type: 'string',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
  description: 'HH:MM, 24 hours',
};

/** Either a text in place or the path of a carried file, never both. */
export const TEXT_OR_PATH: JsonObject = {
  oneOf: [
    { required: ['path'], properties: { path: true } },
    { required: ['text'], properties: { text: true } },
  ],
};
