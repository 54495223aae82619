import { type ReadonlySignal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { incidents } from '../../texts/en/incidents.ts';
import { records } from '../../texts/en/records.ts';
import { whyText } from '../parts/page-error.ts';
import { shown } from '../parts/text.ts';
import { type OpenForIncident, type PlayedIncident, type PlayedStep, playAllWays } from './incident-run.ts';
import { INCIDENTS, type Incident, type IncidentWay, WAYS } from './incidents.ts';

/** Plays of the incidents on this page. */
export interface IncidentPlays {
  /** The ways that were played so far, by the name of the incident. */
  readonly results: ReadonlySignal<ReadonlyMap<string, readonly PlayedIncident[]>>;
  /** Name of the incident that is being played. */
  readonly current: ReadonlySignal<string | undefined>;
  /** Why the last play could not be made. */
  readonly trouble: ReadonlySignal<unknown>;
  play(incident: Incident): Promise<void>;
  /** Ends the play that is under way, before its next way. */
  cancel(): void;
}

export function openIncidentPlays(open: OpenForIncident): IncidentPlays {
  const results = signal<ReadonlyMap<string, readonly PlayedIncident[]>>(new Map());
  const current = signal<string | undefined>(undefined);
  const trouble = signal<unknown>(undefined);
  let cancelled = false;
  return {
    results,
    current,
    trouble,
    play: async (incident) => {
      if (current.peek() !== undefined) return;
      const { name } = incident;
      cancelled = false;
      trouble.value = undefined;
      current.value = name;
      results.value = new Map(results.value).set(name, []);
      try {
        await playAllWays(open, incident, (played) => {
          results.value = new Map(results.value).set(name, [...(results.value.get(name) ?? []), played]);
          return !cancelled;
        });
      } catch (error) {
        trouble.value = error;
      } finally {
        current.value = undefined;
      }
    },
    cancel: () => {
      cancelled = true;
    },
  };
}

/** The items of the list, one for each incident. */
export function incidentItems(
  { results, current }: IncidentPlays,
  selected: string,
  choose: (name: string) => void,
): TemplateResult {
  const { face } = incidents();
  const items = INCIDENTS.map(({ name }) => {
    const played = results.value.get(name) ?? [];
    const under = current.value === name;
    const leaked = played.some(({ way, out }) => out && way !== 'off');
    const word = under ? face.underWay : leaked ? face.leaked : played.length > 0 ? face.asExpected : face.notPlayed;
    const mark = under ? 'gear' : leaked ? 'cross' : played.length > 0 ? 'shield' : 'dot';
    const tone = under ? 'wait' : leaked ? 'bad' : played.length > 0 ? 'good' : 'soft';
    return html`<li><button type="button" class="plain" aria-current=${selected === name ? 'true' : 'false'} @click=${() => choose(name)}>
      <span class="${tone} ${under ? 'spin' : ''}">${icon(mark)}</span>
      <span>${incidents().incidents[name].title}<span class="unseen">, ${word}</span></span>
      <span></span>
    </button></li>`;
  });
  return html`<h2 id="incidents">${incidents().group}</h2><ul aria-labelledby="incidents">${items}</ul>`;
}

/** An incident: what happened, its source, and how each of the ways ended. */
export function incidentDetail(plays: IncidentPlays, incident: Incident): TemplateResult {
  const busy = plays.current.value !== undefined;
  const trouble = plays.trouble.value;
  const texts = incidents();
  const { title, what, lesson } = texts.incidents[incident.name];
  const played = plays.results.value.get(incident.name) ?? [];
  return html`<article aria-labelledby="title">
    <header>
      <h2 id="title">${title}</h2>
      <button type="button" id="play" aria-disabled=${busy} @click=${() => void (busy || plays.play(incident))}>${icon('play')}${played.length === 0 ? texts.playAll : texts.playAgain}</button>
    </header>
    ${trouble === undefined ? '' : html`<p class="bad" role="alert">${whyText(trouble)}</p>`}
    <p>${what}</p>
    <p><strong>${lesson}</strong></p>
    <p class="soft">${source(incident)}</p>
    <p class="soft">${texts.stage}</p>
    <div class="ways" role="status">${WAYS.map((way) =>
      oneWay(
        incident,
        way,
        played.find((each) => each.way === way),
      ),
    )}</div>
  </article>`;
}

function source({ source: from }: Incident): TemplateResult {
  const texts = incidents();
  if (from === undefined) return html`${texts.source}: ${texts.noSource}`;
  return html`${texts.source}: <cite lang="en">${from.title}</cite>, ${from.date}, <span class="address">${from.address}</span>`;
}

function oneWay(incident: Incident, way: IncidentWay, played: PlayedIncident | undefined): TemplateResult {
  const texts = incidents();
  const believes =
    way === 'off' && incident.believesMessages
      ? texts.believes.messages
      : incident.believesNames?.includes(way)
        ? texts.believes.names
        : '';
  return html`<section class="way" data-way=${way}>
    <h3>${texts.ways[way]}</h3>
    <p class="soft">${texts.setups[way]} ${believes}</p>
    ${played === undefined ? '' : outcome(played)}
  </section>`;
}

function outcome({ steps, sent, out, orderRead, verified }: PlayedIncident): TemplateResult {
  const texts = incidents();
  const places = [...new Set(sent.map(({ place }) => place))].join(', ');
  return html`<div class="headline ${out ? 'bad' : 'good'}">${icon(out ? 'cross' : 'shield')}<p>${out ? texts.out(html`<span lang="en">${places}</span>`) : texts.kept}</p></div>
    <h4>${texts.steps}</h4>
    <ol>${steps.map(stepLine)}</ol>
    <h4>${texts.arrived}</h4>
    ${sent.length === 0 ? html`<p class="soft">${texts.nothing}</p>` : sent.map(({ text }) => html`<pre lang="en">${shown(text)}</pre>`)}
    <p class="soft">${orderRead === undefined ? '' : orderRead ? texts.read : texts.unread} ${verified ? texts.verified : texts.broken}</p>`;
}

function stepLine({ tool, code, why, held }: PlayedStep): TemplateResult {
  const texts = incidents();
  if (code === undefined) return html`<li><code>${tool}</code> ${held ? texts.ranHeld : texts.ran}</li>`;
  return html`<li class="stopped"><code>${tool}</code> <span class="bad">${texts.stopped(code)}</span>${why === undefined ? '' : html`<span class="soft reason">${records().why[why]}</span>`}</li>`;
}

/** The three ways beside each other where there is room. */
export const incidentStyles: CSSResult = css`
  .ways {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr));
    gap: 1rem;
  }
  .way {
    display: grid;
    align-content: start;
    gap: 0.5rem;
    min-width: 0;
    padding: 0.75rem 1rem 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
  .way ol {
    margin: 0;
    display: grid;
    gap: 0.25rem;
    padding-left: 1.25rem;
  }
  .way h4 {
    margin: 0.25rem 0 0;
    font-weight: 600;
  }
  .reason {
    display: block;
  }
  .address {
    overflow-wrap: anywhere;
  }
`;
