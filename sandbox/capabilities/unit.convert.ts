import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/unit.convert.js?raw';
import { link } from './link.ts';
import { closed } from './schema.ts';

const UNIT = { enum: ['g', 'kg', 'oz', 'lb', 'ml', 'l', 'tsp', 'tbsp', 'pint', 'mm', 'cm', 'm', 'in', 'C', 'F', 'K'] };

/** Kitchen units: mass, volume, length and temperature. */
export const unitConvert: CapabilityManifest = {
  name: 'unit.convert',
  version: '1.0.0',
  description:
    'Converts an amount between units of mass, volume, length or temperature (metric spoons, imperial pint).',
  args: closed({ value: { type: 'number', minimum: -1e9, maximum: 1e9 }, from: UNIT, to: UNIT }),
  result: closed({ value: { type: 'number' }, unit: UNIT }),
  effect: 'pure',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 100_000, bytesIn: 1024, bytesOut: 1024 },
  source: link(source),
};
