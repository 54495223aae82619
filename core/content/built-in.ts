import { assert } from '../assert.ts';
import type { Capability } from '../capability/capability.ts';
import { define } from '../capability/define.ts';
import type { JsonObject } from '../json/value.ts';

const TEXT: JsonObject = { type: 'string' };

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/**
 * An operation as a capability, so that a grant can name it, a constraint can narrow it and a person can be asked about
 * it.
 */
function operation(name: string, effect: 'read' | 'write', description: string, args: JsonObject): Capability {
  const source = 'export default () => { throw new TypeError("this is an operation of a message, not a call"); }';
  const defined = define({ name, version: '1.0.0', description, effect, args, source });
  assert(defined.ok, `${name} is well defined`);
  return defined.value;
}

/**
 * READ and WRITE as capabilities, for their grants: the runtime carries them out itself. The arguments hold the whole
 * operation, with the text to write: an approval covers exactly that text.
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
