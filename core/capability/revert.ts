import { structureHash } from '../hash.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { CAPABILITY_LIMITS } from '../limits.ts';
import type { Outcome } from '../outcome.ts';
import type { Capability } from './capability.ts';
import { define } from './define.ts';

/** A call that was made, as the `revert` of its tool gets it. */
export interface RevertedCall<A = JsonValue, R = JsonValue> {
  /** The arguments that `run` was called with. */
  readonly args: A;
  /** What `run` returned. */
  readonly result: R;
  /** Where the call stands in the ledger. `run` was told the same `step_id` and `ticket`. */
  readonly call: CallPlace;
}

/** Place of a call in the ledger. */
export interface CallPlace {
  readonly run_id: string;
  /** Counted from 1. */
  readonly step: number;
  readonly step_id: string;
  /** Index of an operation of a message, from 0. */
  readonly operation?: number;
  /** Number of a call that guest code made while it ran, from 1. */
  readonly ticket?: number;
}

const PREFIX = 'revert.';

/**
 * Capability that takes back calls of a tool. It is offered in the runs of an undo alone: no registry that a model or a
 * program sees has it. Its hash covers the definition whose calls it takes back. `isSecret`: such a call was secret.
 */
export function revertOf({ hash, manifest }: Capability, isSecret = false): Outcome<Capability> {
  const { name, version, effect, labels, limits, host } = manifest;
  return define({
    name: revertName(name),
    version,
    description: `Takes back a call of ${name}.`,
    args: ARGS,
    effect: effect === 'egress' ? effect : 'write',
    ...(labels !== undefined && { labels }),
    ...(isSecret && { secret: ['args', 'result'] }),
    limits: { ...limits },
    source: '',
    host: { ...(host?.origin !== undefined && { origin: host.origin }), reverts: hash },
  });
}

/** Name of the capability that takes back calls of a tool: `revert.NAME`, and of a long name its beginning and a hash. */
export function revertName(name: string): string {
  const whole = `${PREFIX}${name}`;
  if (whole.length <= CAPABILITY_LIMITS.nameLength) return whole;
  const hash = structureHash('capability', JSON.stringify(name)).slice(0, 16);
  return `${whole.slice(0, CAPABILITY_LIMITS.nameLength - hash.length - 1)}.${hash}`;
}

const COUNT = { type: 'integer', minimum: 0 };

/** Arguments and result have passed the tool's own schemas when the call was made. */
const ARGS: JsonObject = {
  type: 'object',
  properties: {
    args: {},
    result: {},
    call: {
      type: 'object',
      properties: {
        run_id: { type: 'string' },
        step: COUNT,
        step_id: { type: 'string' },
        operation: COUNT,
        ticket: COUNT,
      },
      required: ['run_id', 'step', 'step_id'],
      additionalProperties: false,
    },
  },
  required: ['args', 'result', 'call'],
  additionalProperties: false,
};
