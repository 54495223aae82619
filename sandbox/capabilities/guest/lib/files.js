/**
 * The files a capability carries, by path. `link` puts the real ones in the place of this module.
 * @type {Readonly<Record<string, string>>}
 */
export const files = {};
