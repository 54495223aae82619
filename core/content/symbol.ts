/** Catalytic Chat Contract, Symbol. */
export interface SymbolRow {
  readonly symbol_id: string;
  readonly target_type: 'SECTION' | 'FILE' | 'HEADING';
  /** The id of a section, for a HEADING that of its first; for a FILE its path. */
  readonly target_ref: string;
  readonly default_slice_policy: string;
}

/** `@` and two or more segments: never a path that could leave its place. */
const SYMBOL = /^@[A-Za-z0-9._-]{1,64}(?:\/[A-Za-z0-9._-]{1,64})+$/;

/** True for the only spelling of a symbol: no segment is `.` or `..`. Catalytic Chat Contract, Symbol. */
export function isSymbol(value: string): boolean {
  return (
    SYMBOL.test(value) &&
    !value
      .slice(1)
      .split('/')
      .some((segment) => segment === '.' || segment === '..')
  );
}
