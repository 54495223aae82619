import { type ContentPower, EXPAND, SEARCH } from '../../../core/capability/built-in-power.ts';
import { uncommittedChanges } from '../../../core/run/commit/storage.ts';
import { allowance } from '../../../core/run/execute/expansions.ts';
import { withWritten } from '../content/written.ts';
import { type HostPower, type HostPowers, hostPowers } from './built-in-powers.ts';
import type { CallScope } from './call-scope.ts';
import { type EarlierAnswers, expandingPower } from './expand-power.ts';
import type { GuestRequests } from './guest-requests.ts';
import { searchingPower } from './search-power.ts';

/** The powers that the runtime itself carries out for a call, and the ids of the sections that the call has read. */
export interface RuntimePowers {
  readonly powers: HostPowers;
  readonly touched: () => readonly string[];
}

export const NO_ANSWERS: EarlierAnswers = { calls: [], touched: [] };

export function runtimePowers(scope: CallScope, requests: GuestRequests, before: EarlierAnswers): RuntimePowers {
  const { state, ports } = scope.host;
  const { files, kept } = uncommittedChanges(state());
  const shows: CallScope['shows'] = (labels) => scope.shows(labels);
  const own = hostPowers(ports, { capability: scope.call.capability.manifest.name, shows, kept, before: before.calls });
  const content = withWritten(ports.content, files);
  const { power, touched } = expandingPower({
    before,
    content,
    run_id: state().facts.run_id,
    shows,
    permit: (ticket, args) => requests.read(EXPAND, ticket, args),
    allowance: () => allowance(state()),
  });
  const reading: { readonly [N in ContentPower]: HostPower } = {
    [EXPAND]: power,
    [SEARCH]: searchingPower({ content, shows, permit: (ticket) => requests.read(SEARCH, ticket) }),
  };
  return { powers: new Map([...own, ...Object.entries(reading)]), touched };
}
