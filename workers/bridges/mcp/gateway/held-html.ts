import { spansOf } from '../../../../core/approval/card.ts';
import type { JsonValue } from '../../../../core/json/value.ts';
import type { OpenedHandle } from '../../../../core/ledger/held-parts.ts';
import { countUnseen } from '../../../../core/text/visible.ts';
import { drawnSpans, pre, row, shown, unseenText } from './page-html.ts';

/** UTF-16 units of a held value that the page shows. */
const SHOWN_MAX = 20_000;

/** A held value that a person has opened: text and nothing else, with its labels and sources. */
export function heldPart({ handle, step, labels, sources, steps, outcome }: OpenedHandle): string {
  const from = steps.length === 0 ? '' : row('Made from', `the held values of the steps ${steps.join(', ')}`);
  const facts = `<dl>${row('Handle', `<code>${shown(handle)}</code>, of step ${step}`)}${row('Labels', labels.join(', ') || 'none')}${row('Sources', sources.map((each) => `<code>${shown(each)}</code>`).join(', ') || 'none')}${from}</dl>`;
  return `${facts}${outcomePart(outcome)}`;
}

function outcomePart(outcome: OpenedHandle['outcome']): string {
  if (outcome.ok) return outcome.value === undefined ? ERASED : valuePart(outcome.value);
  const { refusal } = outcome;
  if (refusal === undefined) return ERASED;
  return `<p>The call has no value: <code>${shown(refusal.code)}</code> ${shown(refusal.message)}</p>${valuePart(refusal.details as JsonValue)}`;
}

const ERASED = '<p>Its bytes were erased.</p>';

/** A string stands as it is, another value as JSON. */
function valuePart(value: JsonValue): string {
  const whole = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const text = whole.slice(0, SHOWN_MAX).toWellFormed();
  const drawn = typeof value === 'string' ? `<bdi>${shown(text)}</bdi>` : drawnSpans(spansOf(text));
  const length = `${whole.length === 1 ? '1 character' : `${whole.length} characters`}${whole.length > SHOWN_MAX ? `: the first ${SHOWN_MAX} are shown` : ''}.`;
  return `${pre(drawn, 'Held value')}<p class="note">${length}</p>${unseenText(countUnseen(whole))}`;
}
