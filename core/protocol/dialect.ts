/** Each dialect with the version that records name it by. */
export const DIALECT_VERSIONS = {
  femtoclaw: 'femtoclaw/1.0.0',
  xct: 'xct/0.1',
  catalytic: 'catalytic/1.0',
} as const;

export type Dialect = keyof typeof DIALECT_VERSIONS;
export type DialectVersion = (typeof DIALECT_VERSIONS)[Dialect];
