import type { JsonObject } from '../core/json/value.ts';

/** Keeps every rule of registration; the engine has no room for its 300 groups. */
export const UNCOMPILABLE: JsonObject = { properties: { text: { pattern: '()'.repeat(300) } } };
