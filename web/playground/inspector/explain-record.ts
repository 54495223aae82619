import { html, type TemplateResult } from 'lit';
import { type LedgerRecord, type PayloadRef, tallyOf, tallyText } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import { tokensOf } from '../../records/tokens.ts';
import { icon } from '../../style/icons.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { shell } from '../../texts/en/shell.ts';
import { labelWord } from '../../texts/label-word.ts';
import { loading } from '../parts/loading.ts';
import { shortHash, shown } from '../parts/text.ts';
import type { Playground } from '../playground.ts';
import { modelIn } from '../run/proposer.ts';
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
      return seal(store, session, record);
    case 'state':
      return html`${headline(record)}<p>${inspector().run.happened[record.body.event]}</p>${quote(inspector().run.why, textOf(session, record.body.reason))}`;
    default:
      return headline(record);
  }
}

function headline(record: LedgerRecord): TemplateResult {
  const { icon: picture, word, summary } = describe(record);
  return html`<p class="headline">${icon(picture)}<span>${word} ${summary}</span></p>`;
}

function seal(
  store: Playground,
  session: RunSession,
  record: LedgerRecord & { readonly kind: 'seal' },
): TemplateResult {
  const { state, steps, message } = record.body;
  const texts = inspector().run;
  const reader = callerOf(session.records.value) === undefined ? 'model' : 'caller';
  return html`<p class="headline ${state === 'completed' ? 'good' : 'bad'}">${icon('seal')}<span>${texts.ended[state](steps)}</span></p>
    ${spent(session)}
    ${offTask(store)}
    <div class="beside">
      ${quote(state === 'completed' ? texts.lastWords[reader] : texts.why, lastWords(session, message))}
      ${receiptsSay(session, record.run_seq)}
    </div>
    <sp-report .store=${store}></sp-report>`;
}

/** A text that a sender left out is told as left out. */
function lastWords(session: RunSession, message: PayloadRef | undefined): string | undefined {
  const isMissing = message !== undefined && session.payload(message).state === 'missing';
  return isMissing ? inspector().run.leftOut : textOf(session, message);
}

/** The words of a model prove nothing, so the numbers of the receipts stand beside them. */
function receiptsSay({ records }: RunSession, run_seq: number): TemplateResult {
  const { tally: words } = recordTexts();
  const tally = tallyOf(records.value, records.value.findIndex((record) => record.run_seq === run_seq) + 1);
  const isWhole = tally.denied + tally.refused + tally.failed === 0;
  return html`<section id="tally"><h3>${words.title}</h3><p class=${isWhole ? '' : 'wait'}>${tallyText(tally, words)}</p></section>`;
}

/** The tokens of the whole run, where its server has counted them. */
function spent({ records }: RunSession): TemplateResult | string {
  const [first] = records.value;
  const tokens = tokensOf(records.value);
  if (tokens === undefined || first?.kind !== 'configuration') return '';
  return html`<sp-spent .tokens=${tokens} .model=${modelIn(first.body.model)}>${loading('spent', () => import('../parts/spent.ts'))}</sp-spent>`;
}

/** The script answers only its own task, so for another task its answer has no meaning. */
function offTask({ session, scenario }: Playground): TemplateResult | string {
  const { proposer } = session.value ?? {};
  if (proposer === undefined || proposer.position.value === 0 || !scriptIsOffTask(session.value, scenario)) return '';
  return html`<p class="headline wait">${icon('eye')}<span>${inspector().run.offTask}</span></p>`;
}

/** Words that are not ours, set apart. */
function quote(title: string, text: string | undefined): TemplateResult | string {
  return text === undefined ? '' : html`<section><h3>${title}</h3><blockquote>${shown(text)}</blockquote></section>`;
}

function configuration(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const { body } = record;
  const texts = inspector().settings;
  return html`<p class="headline">${icon('gear')}<span>${texts.title}</span></p>
    <dl>
      <dt>${texts.dialect}</dt><dd class="mono">${body.dialect}</dd>
      <dt>${texts.isolation}</dt><dd>${shell().trust.isolation[body.isolation].short}</dd>
      ${proposer(record)}
      <dt>${texts.capabilities}</dt><dd>${shortHash(body.registry_hash)}</dd>
      <dt>${texts.policy}</dt><dd>${shortHash(body.policy_hash)}</dd>
      <dt>${texts.steps}</dt><dd>${body.limits.steps === Number.MAX_SAFE_INTEGER ? texts.noLimit : body.limits.steps}</dd>
    </dl>`;
}

function proposer(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const texts = inspector().settings;
  const caller = callerOf([record]);
  if (caller === undefined) return html`<dt>${texts.proposer}</dt><dd>${shown(record.body.model)}</dd>`;
  const { labels } = caller;
  return html`<dt>${texts.proposer}</dt><dd>${shown(sessionName(caller))}</dd>
    <dt>${texts.hadRead}</dt><dd>${labels.length === 0 ? texts.hadReadNothing : labels.map((label) => html`<span class="badge label">${labelWord(label)}</span> `)}</dd>`;
}
