import { assert } from '../assert.ts';
import type { Capability } from '../capability/capability.ts';
import { define } from '../capability/define.ts';
import type { JsonObject } from '../json/value.ts';

const TEXT: JsonObject = { type: 'string' };

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** An operation as a capability: what a grant names, a constraint narrows and a person is asked about. */
function operation(name: string, effect: 'read' | 'write', description: string, args: JsonObject): Capability {
  const source = 'export default () => { throw new TypeError("this is an operation of a message, not a call"); }';
  const defined = define({ name, version: '1.0.0', description, effect, args, source });
  assert(defined.ok, `${name} is well defined`);
  return defined.value;
}

/**
 * READ and WRITE, as what they are permitted by: the runtime carries them out itself. The arguments are all of what is
 * to be done, with the text that is written: a yes to them is a yes to that text and no other.
 */
export const CONTENT_READ: Capability = operation(
  'content.read',
  'read',
  'Expands a bounded slice of what a symbol stands for.',
  closed({ target: TEXT, path: TEXT, slice: TEXT }),
);
export const CONTENT_WRITE: Capability = operation(
  'content.write',
  'write',
  'Replaces a section or a file, if it is still what it was.',
  closed({ target: TEXT, path: TEXT, expected_hash: TEXT, content: TEXT, bytes: { type: 'integer', minimum: 0 } }),
);

/** Part of every registry of a Catalytic run. */
export const CONTENT_CAPABILITIES: readonly Capability[] = [CONTENT_READ, CONTENT_WRITE];
