import { html, type TemplateResult } from 'lit';
import { type JsonValue, tallyOf, tallyText } from '../../../core/index.ts';
import type { StepGroup } from '../../records/steps.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { shown } from '../parts/text.ts';
import { find, replyOf } from './reply.ts';
import type { RunSession } from './session.ts';

/** Values beside the words of a model; the records have all. */
const VALUES_MAX = 12;
const UNITS_MAX = 120;

/**
 * What the receipts of a turn say, beside the words of its model, which prove nothing: how many calls were carried out,
 * denied, refused and failed, and the values that capabilities returned. `seal` is the record that ended the turn, and
 * without one the turn is the last. Read inside a view.
 */
export function receiptValues(session: RunSession, seal?: number): TemplateResult {
  const { tally: words, moreValues } = recordTexts();
  const all = session.records.value;
  const end = seal === undefined ? all.length : all.findIndex(({ run_seq }) => run_seq === seal) + 1;
  const tally = tallyOf(all, end);
  const isWhole = tally.denied + tally.refused + tally.failed === 0;
  const before = all.slice(0, Math.max(end - 1, 0)).findLast(({ kind }) => kind === 'seal')?.run_seq ?? -1;
  const last = all[end - 1]?.run_seq ?? -1;
  const successes = session.steps.value.filter((group) => isSuccess(group, [before, last]));
  // a long turn has many replies: those that are shown are read
  const values = successes.slice(0, VALUES_MAX).flatMap((group) => valueIn(session, group));
  const rest = successes.length - VALUES_MAX;
  return html`<section id="tally" class="value"><h3>${words.title}</h3><p class=${isWhole ? '' : 'wait'}>${tallyText(tally, words)}</p>
    ${values.length === 0 ? '' : html`<dl>${values.map(({ name, value }) => html`<dt class="mono">${name}</dt><dd class="mono">${shown(value)}</dd>`)}</dl>`}
    ${rest > 0 ? html`<p class="soft">${moreValues(rest)}</p>` : ''}</section>`;
}

/** True for a call that ran after the first of these records and not after the second, and came back well. */
function isSuccess(group: StepGroup, [after, last]: readonly [number, number]): boolean {
  const at = group.records[0]?.run_seq ?? -1;
  return group.named && at > after && at <= last && find(group, 'observation')?.body.status === 'success';
}

/** The result of a call, as JSON; none while its reply is read, and none where it has no result. */
function valueIn(session: RunSession, group: StepGroup): readonly { readonly name: string; readonly value: string }[] {
  const reply = replyOf(session, group);
  if (reply?.status !== 'success' || reply.result === undefined) return [];
  const text = jsonOf(reply.result);
  return [{ name: group.title, value: text.length > UNITS_MAX ? `${text.slice(0, UNITS_MAX).toWellFormed()}…` : text }];
}

/** A stranger's reply may be nested deeper than it can be written. */
function jsonOf(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}
