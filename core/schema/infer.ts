import type { JsonValue } from '../json/value.ts';

/**
 * The type of the values that a JSON Schema accepts, for `const` type parameters: `Infer<typeof schema>` of literal
 * types. Types are wider than the schema where TypeScript cannot say it: `pattern`, bounds, `not`, `if` and the like;
 * `$ref` is any JSON. The type only helps authors; no check relies on it.
 */
export type Infer<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : JsonValue
  : S extends false
    ? never
    : S extends { readonly const: infer C }
      ? C
      : S extends { readonly enum: readonly (infer E)[] }
        ? E
        : S extends { readonly anyOf: readonly (infer B)[] } | { readonly oneOf: readonly (infer B)[] }
          ? Infer<B>
          : S extends { readonly allOf: infer Parts extends readonly unknown[] }
            ? InferAll<Parts>
            : S extends { readonly type: infer T }
              ? InferType<T extends readonly (infer One)[] ? One : T, S>
              : JsonValue;

type InferAll<Parts> = Parts extends readonly [infer First, ...infer Rest] ? Infer<First> & InferAll<Rest> : unknown;

/** The TypeScript type of a JSON Schema type; distributes over a union of types. */
type InferType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? InferArray<S>
          : T extends 'object'
            ? InferObject<S>
            : JsonValue;

type InferArray<S> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? readonly [...{ [I in keyof P]?: Infer<P[I]> }, ...InferRest<S>]
  : S extends { readonly items: infer I }
    ? readonly Infer<I>[]
    : readonly JsonValue[];

type InferRest<S> = S extends { readonly items: infer I } ? readonly Infer<I>[] : readonly JsonValue[];

type Members<S> = S extends { readonly properties: infer P } ? P : { readonly [name in never]: never };
type Required<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type InferObject<S> = Flat<
  { readonly [K in keyof Members<S> as K extends Required<S> ? K : never]: Infer<Members<S>[K]> } & {
    readonly [K in keyof Members<S> as K extends Required<S> ? never : K]?: Infer<Members<S>[K]>;
  } & InferOthers<S>
>;

/** Closed objects have the listed members only; a schema for unlisted members shows where no member is listed. */
type InferOthers<S> = S extends { readonly properties: unknown }
  ? unknown
  : S extends { readonly additionalProperties: infer A }
    ? { readonly [name: string]: Infer<A> }
    : { readonly [name: string]: JsonValue };

type Flat<T> = { [K in keyof T]: T[K] };
