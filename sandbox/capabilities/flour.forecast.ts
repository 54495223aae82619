import type { CapabilityManifest } from '../../core/capability/capability.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import source from './guest/flour.forecast.js?raw';
import { type Files, link } from './link.ts';
import { closed, count, DATE } from './schema.ts';

const FLOUR = { enum: ['strong-white', 'wholemeal', 'rye'] };

/** Has a real bug, on purpose: it takes for granted that every flour has a next delivery. Rye has no next delivery. */
export function flourForecast(files: Files): CapabilityManifest {
  return {
    name: 'flour.forecast',
    version: '0.9.0',
    description:
      'Says for how many bake days a flour lasts, until which date, and whether that is before its next delivery.',
    args: closed({
      flour: FLOUR,
      loaves_per_day: { type: 'integer', minimum: 20, maximum: 500, description: 'Harbour Loaves on a bake day.' },
    }),
    result: closed({
      flour: FLOUR,
      kg: { type: 'number', minimum: 0 },
      days: count(10_000),
      lasts_until: DATE,
      before_next_delivery: { type: 'boolean' },
    }),
    effect: 'read',
    powers: [],
    limits: { ...CALL_LIMITS, fuel: 1_000_000, bytesIn: 1024, bytesOut: 1024 },
    source: link(source, files),
  };
}
