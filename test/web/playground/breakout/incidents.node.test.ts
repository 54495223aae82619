import { describe, expect, it } from 'vitest';
import { type PlayedIncident, playIncident } from '../../../../web/playground/breakout/incident-run.ts';
import { INCIDENTS, type Incident, type IncidentWay, WAYS } from '../../../../web/playground/breakout/incidents.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const PLAYS = INCIDENTS.flatMap((incident) => WAYS.map((way) => [incident.name, way, incident] as const));

/** The calls that were not made: tool, code of the receipt, and why a person was asked. */
const stopped = ({ steps }: PlayedIncident): readonly string[] =>
  steps.flatMap(({ tool, code, why = '' }) => (code === undefined ? [] : [`${tool} ${code} ${why}`.trim()]));

describe('a public incident, played with the real gates', () => {
  it('the incidents are eight, and each source has an address', () => {
    expect(INCIDENTS).toHaveLength(8);
    for (const { source } of INCIDENTS) expect(source?.address ?? 'https://').toMatch(/^https:\/\//);
  });

  it.each(PLAYS)('gives its secret away with the guard off alone: %s, %s', async (name, way, incident) => {
    const played = await playIncident(openRuntime, incident, way);
    const stops = { ...STOPPED[name], off: [] };
    expect({ out: played.out, verified: played.verified, stopped: stopped(played) }).toEqual({
      out: way === 'off',
      verified: true,
      stopped: stops[way],
    });
    // A held order is read by no model; the order in a description is, because descriptions are not results.
    if (incident.order !== undefined) expect(played.orderRead).toBe(way !== 'held' || name === 'poisonedDescription');
  });

  it('a picture is shown where values are held, and its address has a handle in the place of the secret', async () => {
    const picture = INCIDENTS.find(({ name }) => name === 'picture') as Incident;
    const { sent } = await playIncident(openRuntime, picture, 'held');
    expect(sent.map(({ text }) => text)).toEqual(['The summary. ![](https://drop.example/p.png?d={{h2/text}})']);
  });
});

const TRIFECTA = 'approval_denied private_and_untrusted';
const HELD = 'approval_denied held_private';

const STOPPED: {
  readonly [N in Incident['name']]: { readonly [W in Exclude<IncidentWay, 'off'>]: readonly string[] };
} = {
  forgedApproval: { on: ['customers.mail approval_denied grant'], held: ['customers.mail approval_denied grant'] },
  publishedRepository: {
    on: ['board.note approval_denied untrusted', `public.write ${TRIFECTA}`],
    held: [`public.write ${HELD}`],
  },
  changedDefinition: { on: ['text.tidy no_grant'], held: [`text.tidy ${HELD}`] },
  stolenToken: { on: [`http.post ${TRIFECTA}`], held: [`http.post ${HELD}`] },
  poisonedDescription: { on: [`sums.add ${TRIFECTA}`], held: [`sums.add ${HELD}`] },
  forgedPageCall: { on: [`shop.order ${TRIFECTA}`], held: ['shop.order approval_denied held'] },
  picture: { on: [`chat.show ${TRIFECTA}`], held: [] },
  poisonedMemory: {
    on: ['memory.put approval_denied untrusted', `web.post ${TRIFECTA}`],
    held: ['memory.put approval_denied held', `web.post ${HELD}`],
  },
};
