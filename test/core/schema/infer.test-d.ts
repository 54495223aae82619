import type { JsonValue } from '../../../core/index.ts';
import type { Infer } from '../../../core/schema/infer.ts';

/** True only for the same type: neither wider nor narrower. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function infers<const S>(_schema: S) {
  return { as: <T>(_same: Same<Infer<S>, T>): void => undefined };
}

infers({ type: 'string', maxLength: 3 }).as<string>(true);
infers({ type: 'integer' }).as<number>(true);
infers({ type: 'boolean' }).as<boolean>(true);
infers({ type: 'null' }).as<null>(true);
infers({ type: ['string', 'null'] }).as<string | null>(true);
infers({ const: 'on' }).as<'on'>(true);
infers({ enum: ['a', 'b', 1] }).as<'a' | 'b' | 1>(true);
infers({ anyOf: [{ type: 'string' }, { type: 'number' }] }).as<string | number>(true);
infers({ oneOf: [{ const: 1 }, { const: 2 }] }).as<1 | 2>(true);
infers({ type: 'array', items: { type: 'string' } }).as<readonly string[]>(true);
infers({ type: 'array' }).as<readonly JsonValue[]>(true);
infers({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }).as<
  readonly [string?, number?, ...never[]]
>(true);
infers({}).as<JsonValue>(true);
infers({ $ref: '#' }).as<JsonValue>(true);
infers(true).as<JsonValue>(true);
infers(false).as<never>(true);

infers({
  type: 'object',
  properties: { text: { type: 'string' }, times: { type: 'integer' }, tags: { type: 'array', items: { enum: ['x'] } } },
  required: ['text', 'tags'],
  additionalProperties: false,
}).as<{ readonly text: string; readonly tags: readonly 'x'[]; readonly times?: number }>(true);
infers({ type: 'object', additionalProperties: { type: 'number' } }).as<{ readonly [name: string]: number }>(true);
infers({
  allOf: [
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
  ],
}).as<{ readonly a: string } & { readonly b: number }>(true);

// A wrong expectation fails: without these lines `Same` could always be `true`.
// @ts-expect-error wider
infers({ type: 'string' }).as<string | number>(true);
// @ts-expect-error narrower
infers({ type: 'string' }).as<'a'>(true);
// @ts-expect-error a member that is required is not optional
infers({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }).as<{ readonly a?: string }>(true);
// @ts-expect-error an unlisted member is not there
infers({ type: 'object', properties: {} }).as<{ readonly b?: string }>(true);

/** The schema of a library states its own type. */
type Library = { readonly '~standard': { readonly types?: { readonly input: { a: Date }; readonly output: unknown } } };
const same: Same<Infer<Library>, { a: Date }> = true;
void same;
