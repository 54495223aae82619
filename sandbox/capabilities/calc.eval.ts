import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/calc.eval.js?raw';
import { link } from './link.ts';
import { closed, words } from './schema.ts';

/** Arithmetic in exact fractions: 0.1 + 0.2 is 0.3. */
export const calcEval: CapabilityManifest = {
  name: 'calc.eval',
  version: '1.0.0',
  description: 'Works out a sum of decimal numbers with + - * / and brackets. Exact; refuses division by zero.',
  args: closed({ expression: words(500, 'For example "(4100 + 500) / 10".') }),
  result: closed({
    value: { type: 'number' },
    exact: { type: 'boolean', description: 'False when the value was rounded to twelve decimals.' },
  }),
  effect: 'pure',
  powers: [],
  limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesIn: 4096, bytesOut: 1024 },
  source: link(source),
};
