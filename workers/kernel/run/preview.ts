import { beginPreview, checkOf, type Preview, previewOf } from '../../../core/run/preview.ts';
import type { RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';
import type { Ports } from '../../ports.ts';

/** The decision that the gates would make about a proposal now. The run stays as it is. */
export async function preview(
  { schemas, now, nonce }: Pick<Ports, 'schemas' | 'now' | 'nonce'>,
  state: RunState,
  bytes: Uint8Array,
): Promise<Preview> {
  let step = beginPreview(state, { bytes, now: now(), nonce: nonce(), salt: nonce() + nonce() });
  for (let check = checkOf(step[1]); check !== undefined; check = checkOf(step[1])) {
    const results = await schemas.check(check.schemas, check.text, check.later);
    step = transition(step[0], { type: 'checked', step: check.step, results });
  }
  return previewOf(step);
}
