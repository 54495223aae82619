/**
 * The papers of a capability, by path. `link` puts the papers in the place of this module.
 * @type {Readonly<Record<string, string>>}
 */
export const files = {};
