import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/json.pick.js?raw';
import { type Files, link } from './link.ts';
import { closed, PATH } from './schema.ts';

/** RFC 6901. */
export function jsonPick(files: Files): CapabilityManifest {
  return {
    name: 'json.pick',
    version: '1.0.0',
    description: 'Picks one value out of a JSON document by its JSON Pointer, such as "/flours/rye/kg".',
    args: {
      ...closed(
        {
          path: PATH,
          value: { description: 'The document itself.' },
          pointer: { type: 'string', maxLength: 500 },
        },
        ['path', 'value'],
      ),
      oneOf: [
        { required: ['path'], properties: { path: true } },
        { required: ['value'], properties: { value: true } },
      ],
    },
    result: closed({ value: {} }),
    effect: Object.keys(files).length === 0 ? 'pure' : 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesOut: 16 << 10 },
    source: link(source, files),
  };
}
