/**
 * Illegal order does not compile. Nothing here runs: each line that must not compile says so, and the type checker
 * complains when it does.
 */
import type { Authorized } from '../../core/capability/authorize.ts';
import { type AuthorizationFacts, authorize } from '../../core/capability/authorize.ts';
import type { Charged } from '../../core/capability/charge.ts';
import { charge } from '../../core/capability/charge.ts';
import { checkArguments, type Validated } from '../../core/capability/check.ts';
import { type Bound, bind, type Registry } from '../../core/capability/registry.ts';
import { refuse } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json/value.ts';
import { parse } from '../../core/protocol/parse.ts';
import type { Proposal } from '../../core/protocol/proposal.ts';
import type { RunEffect } from '../../core/run/effect.ts';

declare const value: JsonValue;
declare const registry: Registry;
declare const facts: AuthorizationFacts;
declare const call: Extract<Proposal, { kind: 'call' }>;
declare const bound: Bound;
declare const validated: Validated;
declare const authorized: Authorized;
declare const charged: Charged;
type Execute = Extract<RunEffect, { type: 'execute' }>;
const rest = { type: 'execute', step: 1, args: '{}', seed: 0, now: 0 } as const;

/** The only order that compiles. */
export const legal = (): readonly unknown[] => [
  parse('xct', value),
  bind(call, registry),
  checkArguments(bound, { issues: [] }),
  authorize(validated, facts),
  charge(authorized, new Map(), 0),
  { ...rest, call: charged } satisfies Execute,
];

/** Every shorter order. */
export const illegal = (): readonly unknown[] => [
  // @ts-expect-error bytes are decoded first
  parse('xct', new Uint8Array()),
  // @ts-expect-error a value is no call
  bind(value, registry),
  // @ts-expect-error a call that is not bound has no schema
  checkArguments(call, { issues: [] }),
  // @ts-expect-error arguments come before permission
  authorize(bound, facts),
  // @ts-expect-error only what is authorized is charged
  charge(validated, new Map()),
  // @ts-expect-error a call that is bound is not executed
  { ...rest, call: bound } satisfies Execute,
  // @ts-expect-error a call that is validated is not executed
  { ...rest, call: validated } satisfies Execute,
  // @ts-expect-error a call that is authorized is not executed before it is charged
  { ...rest, call: authorized } satisfies Execute,
  // @ts-expect-error a copy is no proof
  { ...rest, call: { call, capability: charged.capability, grant: charged.grant } } satisfies Execute,
];

/** A refusal has the details of its own code. */
export const refusals = (): readonly unknown[] => [
  refuse('limit_size', { limit: 1, used: 2 }),
  // @ts-expect-error details of another code
  refuse('limit_size', { offset: 1 }),
  // @ts-expect-error details missing
  refuse('limit_size', { limit: 1 }),
  // @ts-expect-error details too many
  refuse('bom', { offset: 1 }),
  // @ts-expect-error a code that is not in the table
  refuse('no_such_code', {}),
  // @ts-expect-error a step that is none
  refuse('bom', {}, { step: 'later' }),
];
