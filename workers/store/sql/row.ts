/** Row of a result. A column of a foreign database can have any type. */
export type SqlRow = { readonly [column: string]: unknown };
