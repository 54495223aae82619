import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Effect from 'effect/Schema';
import { Type } from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { defineCapability, definePower } from '../../../core/index.ts';

/** True only for the same type: neither wider nor narrower. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Call = { text: string; times?: number | undefined };

const terms = { name: 'a.b', version: '1.0.0', description: 'An example.', effect: 'pure' } as const;
const is = <T>(_same: T): null => null;

definePower({
  ...terms,
  args: z.object({ text: z.string(), times: z.number().optional() }),
  run: (args) => is<Same<typeof args, Call>>(true),
});
definePower({
  ...terms,
  args: type({ text: 'string', 'times?': 'number' }),
  run: (args) => is<Same<typeof args, { text: string; times?: number }>>(true),
});
definePower({
  ...terms,
  args: toStandardJsonSchema(v.object({ text: v.string(), times: v.optional(v.number()) })),
  run: (args) => is<Same<typeof args, Call>>(true),
});
definePower({
  ...terms,
  args: Effect.toStandardJSONSchemaV1(Effect.Struct({ text: Effect.String, times: Effect.optionalKey(Effect.Number) })),
  run: (args) => is<Same<typeof args, { readonly text: string; readonly times?: number }>>(true),
});
definePower({
  ...terms,
  args: Type.Object({ text: Type.String(), times: Type.Optional(Type.Number()) }),
  run: (args) => is<Same<typeof args, { readonly text: string; readonly times?: number }>>(true),
});
defineCapability({ ...terms, args: z.object({ n: z.int() }), run: ({ n }) => is<Same<typeof n, number>>(true) });
defineCapability({
  ...terms,
  args: Type.Object({ n: Type.Integer() }),
  run: ({ n }) => is<Same<typeof n, number>>(true),
});

// Schemas that only validate do not compile; a program without types reads the line to write.
// @ts-expect-error a schema of valibot needs toStandardJsonSchema
defineCapability({ ...terms, args: v.object({ n: v.number() }), source: '' });
// @ts-expect-error a schema of zod 3 gives no JSON Schema
defineCapability({ ...terms, args: z3.object({ n: z3.number() }), source: '' });
// @ts-expect-error a schema of Effect needs toStandardJSONSchemaV1
defineCapability({ ...terms, args: Effect.Struct({ n: Effect.Number }), source: '' });
