import { assert } from '../assert.ts';
import { HANDLE_SCHEMA } from '../schema/widen.ts';
import type { Capability } from './capability.ts';
import { define } from './define.ts';

/**
 * Reads a held outcome on purpose: puts it into the context, with its labels. Part of every registry of a run that holds.
 * It is the one call with a handle that does not hold. Its grant judges the handle, and its question shows the outcome.
 */
export const HELD_READ: Capability = heldRead();

function heldRead(): Capability {
  const defined = define({
    name: 'held.read',
    version: '1.0.0',
    description:
      'Reads what a handle stands for, once it is permitted: {"value":…}, or {"refusal":…} where the call behind it has no value.',
    args: {
      type: 'object',
      properties: { handle: HANDLE_SCHEMA },
      required: ['handle'],
      additionalProperties: false,
    },
    effect: 'read',
    // those of the outcome join the context
    labels: [],
    source: 'export default ({ handle }) => handle;',
  });
  assert(defined.ok, 'held.read is well defined');
  return defined.value;
}
