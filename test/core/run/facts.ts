import type { CallSettled } from '../../../core/capability/call.ts';
import { ENGINE } from '../../../core/capability/engine.ts';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { BUDGETS } from '../../../core/content/budget.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { RUN_LIMITS, type RunLimits } from '../../../core/limits.ts';
import type { Dialect } from '../../../core/protocol/dialect.ts';
import type { RunFacts } from '../../../core/run/state.ts';
import { checker } from '../schemas.ts';
import { registryOf } from '../validator.ts';

/** Capabilities that a run treats differently; each name states the difference. */
const ANY = { type: 'object' };
const TYPED = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false };
const defined = (name: string, effect: string, more: object = {}): JsonObject => ({
  name,
  version: '1.0.0',
  description: name,
  effect,
  args: ANY,
  source: 'export default (args) => args',
  ...more,
});

const REGISTRY = registryOf([
  defined('pure', 'pure'),
  defined('typed', 'pure', { args: TYPED, result: { type: 'number' } }),
  defined('read', 'read'),
  defined('write', 'write'),
  defined('send', 'egress'),
  defined('asked', 'pure'),
  defined('off', 'pure'),
  defined('alone', 'pure'),
  defined('denied', 'pure'),
  defined('once', 'pure'),
  defined('narrow', 'pure'),
  defined('forbidden', 'pure'),
  defined('expired', 'pure'),
]);

/** Accepts arguments with `ok: true` only. Its validator runs outside of core, because it counts members. */
const WHERE: JsonObject = { type: 'object', properties: { ok: { const: true } }, required: ['ok'], minProperties: 1 };

const hashOf = (name: string): string => REGISTRY.capabilities.get(name)?.hash ?? '';
const granted = (name: string, terms: object) => makeGrant({ name, hash: hashOf(name) }, terms as { mode: 'allow' });

const POLICY = makePolicy(
  [...REGISTRY.capabilities.values()].filter(({ manifest }) => manifest.name !== 'off').map(({ hash }) => hash),
  [
    ...['pure', 'typed', 'read', 'write', 'send', 'off'].map((name) => granted(name, { mode: 'allow' })),
    granted('asked', { mode: 'ask' }),
    granted('denied', { mode: 'allow' }),
    granted('denied', { mode: 'deny' }),
    granted('once', { mode: 'allow', uses: 1 }),
    granted('narrow', { mode: 'allow', where: WHERE }),
    granted('forbidden', { mode: 'allow' }),
    granted('forbidden', { mode: 'deny', where: WHERE }),
    granted('expired', { mode: 'allow', expires: 1_000 }),
  ],
);

/** Built-in schemas are checked in place; the schemas of `typed` and of the grants are checked outside. */
const anyHash = REGISTRY.capabilities.get('pure')?.schemas.args ?? '';

export function facts(
  more: { readonly dialect?: Dialect; readonly limits?: Partial<RunLimits>; readonly remote?: string } = {},
): RunFacts {
  const { limits, ...rest } = more;
  return {
    run_id: '00000000-0000-4000-8000-000000000000',
    dialect: 'femtoclaw',
    registry: REGISTRY,
    policy: POLICY,
    limits: { ...RUN_LIMITS, ...limits },
    limits_hash: '0'.repeat(64),
    budgets: BUDGETS,
    model: 'script',
    isolation: 'node',
    engine: ENGINE,
    precompiled: new Map([[anyHash, checker(ANY)]]),
    ...rest,
  };
}

export const bytes = (value: unknown): Uint8Array =>
  encodeText(typeof value === 'string' ? value : JSON.stringify(value));
export const call = (tool: string, args: unknown = {}): Uint8Array => bytes({ tool_call: { tool, args } });
export const say = (content: string): Uint8Array => bytes({ message: { content } });

export const settledOk = (value: unknown): CallSettled => ({
  ok: true,
  text: JSON.stringify(value),
  fuel: 7,
  console: [],
  powerCalls: [],
});
export const IMAGE = 'i'.repeat(64);
