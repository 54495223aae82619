import { html, type TemplateResult } from 'lit';
import type { Bodies, LedgerRecord } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import { icon } from '../../style/icons.ts';
import { count, shortHash, shown } from '../parts/text.ts';
import type { Playground } from '../playground.ts';
import { textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { callerOf, sessionName } from '../run/session-caller.ts';
import { scriptIsOffTask } from '../run/tasks.ts';
import './report-view.ts';

/** A record of a run that belongs to no step, in plain words. */
export function explainRecord(store: Playground, session: RunSession, record: LedgerRecord): TemplateResult {
  switch (record.kind) {
    case 'configuration':
      return configuration(record);
    case 'task':
      return html`<p class="headline">${icon('flag')}<span>${shown(textOf(session, record.body.text) ?? '')}</span></p>`;
    case 'seal':
      return seal(store, session, record.body);
    case 'state':
      return html`${headline(record)}<p>${HAPPENED[record.body.event]}</p>${quote('Why', textOf(session, record.body.reason))}`;
    default:
      return headline(record);
  }
}

function headline(record: LedgerRecord): TemplateResult {
  const { icon: picture, word, summary } = describe(record);
  return html`<p class="headline">${icon(picture)}<span>${word} ${summary}</span></p>`;
}

function seal(store: Playground, session: RunSession, { state, steps, message }: Bodies['seal']): TemplateResult {
  return html`<p class="headline ${state === 'completed' ? 'good' : 'bad'}">${icon('seal')}<span>The run is ${state} after ${count(steps, 'step')}.</span></p>
    ${offTask(store)}
    ${quote(state === 'completed' ? `The ${callerOf(session.records.value) === undefined ? 'model' : 'caller'}’s last words` : 'Why', textOf(session, message))}
    <sp-report .store=${store}></sp-report>`;
}

/** The script answers only its own task, so for another task its answer has no meaning. */
function offTask({ session, scenario }: Playground): TemplateResult | string {
  const { proposer } = session.value ?? {};
  if (proposer === undefined || proposer.position.value === 0 || !scriptIsOffTask(session.value, scenario)) return '';
  return html`<p class="headline wait">${icon('eye')}<span>The script answered its own task, not this run’s.</span></p>`;
}

/** Words that are not ours, set apart. */
function quote(title: string, text: string | undefined): TemplateResult | string {
  return text === undefined ? '' : html`<section><h3>${title}</h3><blockquote>${shown(text)}</blockquote></section>`;
}

/** Meaning of an event from outside for a run. */
const HAPPENED: { readonly [E in Bodies['state']['event']]: string } = {
  paused: 'A person paused the run. It waits until a person continues it.',
  resumed: 'The page had been closed, and the run was resumed. Its finished steps stay, and no call runs twice.',
  interrupted: 'A step was interrupted when the page was closed. Its result is unknown, so it is not run again.',
  model_failed: 'The model gave no proposal. Step asks it once more.',
};

function configuration(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const { body } = record;
  return html`<p class="headline">${icon('gear')}<span>The settings that decide this run, recorded before its first step.</span></p>
    <dl>
      <dt>Dialect</dt><dd class="mono">${body.dialect}</dd>
      <dt>Isolation</dt><dd>${body.isolation}</dd>
      ${proposer(record)}
      <dt>Capabilities</dt><dd>${shortHash(body.registry_hash)}</dd>
      <dt>Policy</dt><dd>${shortHash(body.policy_hash)}</dd>
      <dt>Steps at most</dt><dd>${body.limits.steps === Number.MAX_SAFE_INTEGER ? 'no limit' : body.limits.steps}</dd>
    </dl>`;
}

function proposer(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const caller = callerOf([record]);
  if (caller === undefined) return html`<dt>Proposer</dt><dd>${shown(record.body.model)}</dd>`;
  const { labels } = caller;
  return html`<dt>Proposer</dt><dd>${shown(sessionName(caller))}</dd>
    <dt>Had read before</dt><dd>${labels.length === 0 ? 'no private data and no strangers’ text' : labels.map((label) => html`<span class="badge label">${label}</span> `)}</dd>`;
}
