import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/proof.simulate.js?raw';
import { link } from './link.ts';
import { closed, count, TIME } from './schema.ts';

/** Has a real bug, on purpose: its schema lets a step of 0 minutes through, and then the dough never rises. */
export const proofSimulate: CapabilityManifest = {
  name: 'proof.simulate',
  version: '0.9.0',
  description: 'Follows a dough, step by step, until it has doubled, and says when it is ready to shape.',
  args: closed({
    mixed_at: TIME,
    degrees: { type: 'number', minimum: 4, maximum: 32, description: 'Celsius, in the dough room.' },
    minutes_per_step: { type: 'integer', minimum: 0, maximum: 60 },
  }),
  result: closed({ minutes: count(10_000), ready_at: TIME }),
  effect: 'pure',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 500_000, bytesIn: 1024, bytesOut: 1024 },
  source: link(source),
};
