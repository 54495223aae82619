import { decode, encodeText, isObject } from '../../../core/index.ts';
import { setup as texts } from '../../texts/en/setup.ts';
import { strictestOf } from '../parts/grant-modes.ts';
import { closestTo } from '../run/registry.ts';
import { grantsOf } from '../run/run-grants.ts';
import type { RunSession } from '../run/session.ts';

export interface Forecast {
  readonly good: boolean;
  readonly words: string;
}

/** Reading a longer text with every key would be felt. */
const UNITS_MAX = 20_000;

/**
 * Forecast for a text that is being written, without sending it: whether it is JSON, whether its names exist, and
 * whether this run's grants permit it. The gates decide; the forecast only reads.
 */
export function forecastOf(text: string, session: RunSession | undefined): Forecast | undefined {
  if (text.trim() === '' || text.length > UNITS_MAX || session === undefined) return undefined;
  const read = decode(encodeText(text));
  if (!read.ok) return { good: false, words: texts().forecast.stopsAtParse(read.refusal.message) };
  const name = isObject(read.value) ? namedIn(read.value) : undefined;
  if (name === undefined) return { good: true, words: texts().forecast.isJson };
  const closest = closestTo(session, name);
  if (closest !== name) {
    const meant = closest === undefined ? '' : texts().forecast.closest(closest);
    return { good: false, words: `${texts().forecast.unknownName(name)}${meant}` };
  }
  const own = grantsOf(session).filter(({ capability }) => capability === name);
  const mode = strictestOf(own) ?? 'none';
  return { good: mode === 'ask' || mode === 'allow', words: texts().forecast.modes[mode](name) };
}

function namedIn(value: { readonly [name: string]: unknown }): string | undefined {
  const call = value['next_step'] ?? value['tool_call'];
  const name = typeof call === 'object' && call !== null && 'tool' in call ? call.tool : undefined;
  return typeof name === 'string' ? name : undefined;
}
