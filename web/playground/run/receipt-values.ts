import { html, type TemplateResult } from 'lit';
import { type JsonValue, tallyOf, tallyText } from '../../../core/index.ts';
import type { StepGroup } from '../../records/steps.ts';
import { records as recordTexts } from '../../texts/en/records.ts';
import { shown } from '../parts/text.ts';
import { replyOf } from './reply.ts';
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
  const values = session.steps.value.flatMap((group) => valueIn(session, group, [before, last]));
  const rest = values.length - VALUES_MAX;
  return html`<section id="tally" class="value"><h3>${words.title}</h3><p class=${isWhole ? '' : 'wait'}>${tallyText(tally, words)}</p>
    ${values.length === 0 ? '' : html`<dl>${values.slice(0, VALUES_MAX).map(({ name, value }) => html`<dt class="mono">${name}</dt><dd class="mono">${shown(value)}</dd>`)}</dl>`}
    ${rest > 0 ? html`<p class="soft">${moreValues(rest)}</p>` : ''}</section>`;
}

/** The result of a call that ran after the first of these records and before the second, as JSON. */
function valueIn(
  session: RunSession,
  group: StepGroup,
  [after, last]: readonly [number, number],
): readonly { readonly name: string; readonly value: string }[] {
  const at = group.records[0]?.run_seq ?? -1;
  if (!group.named || at <= after || at > last) return [];
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
