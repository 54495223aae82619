import { html, type TemplateResult } from 'lit';
import { isObject, type JsonValue } from '../../../core/index.ts';
import { inFigures } from '../parts/figures.ts';
import { shown } from '../parts/text.ts';
import type { Trial } from './lab.ts';

/** The sentence the model was told, where it was told an error, with its figures as a person reads them. */
export function told({ reply }: Trial): string {
  const answer = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  const { message, details } = isObject(answer) ? answer : {};
  return typeof message === 'string' ? inFigures(message, isObject(details) ? details : undefined) : '';
}

/** The cost of a trial. The time is of this device and this moment; the fuel is the same on every device. */
export function spent({ elapsedMs, receipt, powerCalls }: Trial): TemplateResult {
  const { fuel } = receipt.body.evidence;
  return html`<div><dt>Time, here and now</dt><dd>${elapsedMs < 10 ? elapsedMs.toFixed(1) : Math.round(elapsedMs).toLocaleString()} ms</dd></div>
    ${fuel === undefined ? '' : html`<div><dt>Fuel, the same everywhere</dt><dd>${fuel.toLocaleString()}</dd></div>`}
    ${powerCalls.length === 0 ? '' : html`<div><dt>Power calls</dt><dd>${powerCalls.length}</dd></div>`}`;
}

const LINES_SHOWN = 200;

/** The guest's console output, in order. The words are a stranger's. */
export function consoleLines({ console }: Trial): TemplateResult {
  if (console.length === 0) return html``;
  const lines = console.slice(0, LINES_SHOWN);
  return html`<section><h3>Console${console.length > LINES_SHOWN ? html` <span class="soft">· the first ${LINES_SHOWN} of ${console.length.toLocaleString()} lines</span>` : ''}</h3>
    <pre class="console" tabindex="0" role="region" aria-label="Console">${lines.map(({ level, text }) => html`<span class=${level === 'error' ? 'bad' : level === 'warn' ? 'wait' : ''}>${shown(text.slice(0, 2000))}</span>\n`)}</pre></section>`;
}

/** Each use of a power, in order: the arguments and the answer. */
export function powerLines({ powerCalls }: Trial): TemplateResult {
  if (powerCalls.length === 0) return html``;
  return html`<section><h3>Power calls</h3>
    <pre tabindex="0" role="region" aria-label="Power calls">${powerCalls.map(({ name, args, result, error }) => html`<strong>${name}</strong> ${shown(JSON.stringify(args))} → ${error === undefined ? shown(JSON.stringify(result)) : html`<span class="bad">${shown(error.message)}</span>`}\n`)}</pre></section>`;
}
