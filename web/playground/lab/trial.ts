import { html, type TemplateResult } from 'lit';
import { CODES, type Code, isObject, type JsonValue } from '../../../core/index.ts';
import { lab } from '../../texts/en/lab.ts';
import { number } from '../../texts/intl.ts';
import { inFigures } from '../parts/figures.ts';
import { shown } from '../parts/text.ts';
import type { Trial } from './lab.ts';

/**
 * The English sentence the model was told, where it was told an error, with its figures as a person reads them and
 * without the advice, which is for a model.
 */
export function told({ reply, receipt }: Trial): string {
  const answer = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  const { message, details } = isObject(answer) ? answer : {};
  if (typeof message !== 'string') return '';
  const code = receipt.body.evidence.reason?.code ?? '';
  const advice = Object.hasOwn(CODES, code) ? CODES[code as Code].todo : '';
  return inFigures(message, isObject(details) ? details : undefined)
    .replace(advice, '')
    .trimEnd();
}

/** The cost of a trial. The time is of this device and this moment; the fuel is the same on every device. */
export function spent({ elapsedMs, receipt, powerCalls }: Trial): TemplateResult {
  const texts = lab();
  const { fuel } = receipt.body.evidence;
  const digits = elapsedMs < 10 ? 1 : 0;
  const time = number(elapsedMs, {
    style: 'unit',
    unit: 'millisecond',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return html`<div><dt>${texts.time}</dt><dd>${time}</dd></div>
    ${fuel === undefined ? '' : html`<div><dt>${texts.fuel}</dt><dd>${number(fuel)}</dd></div>`}
    ${powerCalls.length === 0 ? '' : html`<div><dt>${texts.powerCalls}</dt><dd>${number(powerCalls.length)}</dd></div>`}`;
}

const LINES_SHOWN = 200;

/** The guest's console output, in order. The words are a stranger's. */
export function consoleLines({ console }: Trial): TemplateResult {
  if (console.length === 0) return html``;
  const texts = lab();
  const lines = console.slice(0, LINES_SHOWN);
  return html`<section><h3>${texts.console}${console.length > LINES_SHOWN ? texts.firstLines(LINES_SHOWN, console.length) : ''}</h3>
    <pre class="console" tabindex="0" role="region" aria-label=${texts.console}>${lines.map(({ level, text }) => html`<span class=${level === 'error' ? 'bad' : level === 'warn' ? 'wait' : ''}>${shown(text.slice(0, 2000))}</span>\n`)}</pre></section>`;
}

/** Each use of a power, in order: the arguments and the answer. */
export function powerLines({ powerCalls }: Trial): TemplateResult {
  if (powerCalls.length === 0) return html``;
  return html`<section><h3>${lab().powerCalls}</h3>
    <pre tabindex="0" role="region" aria-label=${lab().powerCalls}>${powerCalls.map(({ name, args, result, error }) => html`<strong>${name}</strong> ${shown(JSON.stringify(args))} → ${error === undefined ? shown(JSON.stringify(result)) : html`<span class="bad">${shown(error.message)}</span>`}\n`)}</pre></section>`;
}
