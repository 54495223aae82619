import { html, type TemplateResult } from 'lit';
import { type LedgerRecord, tallyOf, tallyText, visibleText } from '../../core/index.ts';
import type { RuntimeInfo, RunView } from '../../workers/api.ts';
import { isOver } from '../../workers/run-view.ts';
import { describe } from '../records/describe.ts';
import { GATES, type StripGate } from '../records/gates.ts';
import { heldOf } from '../records/held.ts';
import { groupSteps } from '../records/steps.ts';
import { records as recordTexts } from '../texts/en/records.ts';
import { fill } from '../texts/fill.ts';
import { inEnglish } from '../texts/recorded.ts';
import type { RunWords } from './words.ts';

/** UTF-16 units that are shown of an answer that arrives; the record has all of it. */
const SAYING_MAX = 4000;

/** The text of an arriving answer with its next piece. */
export function withPiece(saying: string | undefined, piece: string): string {
  return `${saying ?? ''}${piece}`.slice(-SAYING_MAX);
}

/** The parts of a run that an element shows. */
export interface RunDisplay {
  readonly task: string | undefined;
  readonly asked: string | undefined;
  readonly state: RunView | undefined;
  readonly records: readonly LedgerRecord[];
  readonly trouble: string | undefined;
  /** The trouble is a file that is gone, because the site has another build. */
  readonly isOlder: boolean;
  readonly info: RuntimeInfo | undefined;
  readonly saying: string | undefined;
  /** The model that has been silent for some seconds. */
  readonly silent: { readonly model: string; readonly seconds: number } | undefined;
  readonly opening: number | undefined;
  /** The words at the end, with the held values that they name. */
  readonly lastWords: LastWords | undefined;
  readonly heldOpen: OpenedValue | undefined;
  readonly words: RunWords;
}

/** A held outcome of a run that a person has opened; `drawn` is undefined while it is read. */
export interface OpenedValue {
  readonly handle: string;
  readonly run: string | undefined;
  readonly drawn?: LastWords;
}

/** Draws the words at the end of a run, with the held values that they name. */
export type LastWords = (words: RunWords) => unknown;

/** The actions of its buttons. */
interface RunButtons {
  step(): Promise<void>;
  resume(): Promise<void>;
  pause(): Promise<void>;
  abort(): Promise<void>;
  cancelRequest(): Promise<void>;
  openHeld(handle: string): Promise<void>;
}

const AHEAD: readonly StripGate[] = GATES.map((name) => ({ name, state: 'ahead' }));

export function header(shown: RunDisplay): TemplateResult {
  const { info, words } = shown;
  const lock = info === undefined ? words.idle : words[info.isolation];
  const store = info?.store.kind === 'memory' ? words.memory : '';
  const tone = info === undefined || info.isolation === 'locked' ? 'muted' : 'bad';
  return html`<header part="header">
      <p>${visibleText(shown.asked ?? shown.task ?? '')}</p>
      <span part="verdict" class="verdict" role="status">${badge(shown)}</span>
    </header>
    <p part="meter" class=${tone} data-isolation=${info?.isolation ?? 'idle'}>${lock} ${store}</p>`;
}

function badge(shown: RunDisplay): string {
  const { state, words, opening } = shown;
  if (opening !== undefined)
    return opening === 0 ? words.starting : fill(words.preparing, { percent: `${Math.round(opening * 100)}` });
  if (state === undefined) return words.ready;
  if (state.end !== undefined) return words[state.end.state];
  if (state.phase === 'AWAITING_APPROVAL') return words.waiting;
  return state.mode === 'paused' ? words.paused : words.running;
}

export function gates(shown: RunDisplay): TemplateResult {
  const latest = groupSteps(shown.records).findLast(({ step }) => step !== undefined);
  return html`<ol class="gates" aria-label=${shown.words.gates}>${(latest?.gates ?? AHEAD).map(({ name, state }) => {
    const label = `${name}: ${shown.words[`gate_${state}`]}`;
    return html`<li part="gate" class=${state} aria-label=${label} title=${label}><span>${name}</span></li>`;
  })}</ol>`;
}

export function list(
  shown: RunDisplay & Pick<RunButtons, 'openHeld'> & { readonly readonly: boolean },
): TemplateResult {
  if (shown.records.length === 0) return html`<slot name="empty"></slot>`;
  return html`<ol part="timeline" class="records" tabindex="0" aria-label=${shown.words.records}>${shown.records.map(
    (record) => {
      const { word, summary, tone } = describe(record);
      return html`<li part="record"><span class="seq">${record.run_seq}</span><span class=${tone}>${word}</span><span>${visibleText(summary)}${shown.readonly ? '' : heldIn(shown, record)}</span></li>`;
    },
  )}</ol>`;
}

/** The button that opens a held outcome for the person, and the outcome: somebody may look over the shoulder. */
function heldIn(shown: Parameters<typeof list>[0], record: LedgerRecord): TemplateResult | string {
  const { heldOpen, words } = shown;
  const handle = heldOf([record])?.handle;
  if (handle === undefined) return '';
  const isOpen = heldOpen?.handle === handle && heldOpen.run === record.run_id;
  return html` <button type="button" part="open" aria-expanded=${isOpen} @click=${() => void shown.openHeld(handle)}>${isOpen ? words.held_hide : words.held_show}</button> ${isOpen ? heldOpen.drawn?.(words) : ''}`;
}

/** The model's answer while it arrives, as plain text. */
export function said({ saying, words }: RunDisplay): TemplateResult | string {
  if (saying === undefined) return '';
  return html`<p part="saying" class="saying" role="region" tabindex="0" aria-label=${words.saying}>${visibleText(saying)}</p>`;
}

/** A request whose model is silent, with its seconds, which are not spoken: they never stop. */
export function asking(
  shown: RunDisplay & Pick<RunButtons, 'cancelRequest'> & { readonly readonly: boolean },
): TemplateResult | string {
  const { silent, words } = shown;
  if (silent === undefined) return '';
  const { model, seconds } = silent;
  const told = fill(words.asking, { model: visibleText(model), seconds: String(seconds) });
  return html`<p part="asking" class="asking muted"><span role="timer">${told}</span>${
    shown.readonly
      ? ''
      : html`<button type="button" part="cancel" @click=${() => void shown.cancelRequest()}>${words.cancel}</button>`
  }</p>`;
}

export function outcome(shown: RunDisplay): TemplateResult {
  const { end, waiting, notices = [] } = shown.state ?? {};
  const failed = shown.trouble ?? (end?.state === 'completed' ? undefined : end?.code);
  const unanswered = waiting && `${shown.words.unanswered} ${waiting.message} ${waiting.said ?? ''}`;
  const said = end?.said === undefined ? '' : ` ${end.said}`;
  return html`${notices.map(({ code, message }) => html`<p class="muted" data-code=${code}>${inEnglish(message)}</p>`)}
    <p class="message">${shown.lastWords?.(shown.words) ?? visibleText(end?.message ?? '')}</p>
    ${end === undefined ? '' : receipts(shown.records)}
    <p role="alert" class="bad">${visibleText(`${failed ?? unanswered ?? ''}${said}`)}</p>${shown.isOlder ? reload(shown) : ''}`;
}

/** A reload would end the run of an open question, so the button comes behind the answer. */
function reload({ state, words }: RunDisplay): TemplateResult | string {
  if (state?.phase === 'AWAITING_APPROVAL' && !isOver(state)) return '';
  return html`<button type="button" part="reload" @click=${() => location.reload()}>${words.reload}</button>`;
}

/** The words of a model prove nothing, so the numbers of the receipts stand beside them. */
function receipts(records: readonly LedgerRecord[]): TemplateResult {
  const { tally } = recordTexts();
  return html`<p part="receipts" class="muted">${tally.title}: ${tallyText(tallyOf(records), tally)}</p>`;
}

/** A disabled button would lose the focus, and Run and Pause are one button, so that a person at the keyboard goes on. */
export function controls(shown: RunDisplay & RunButtons): TemplateResult {
  const { state, words, opening } = shown;
  const live = state !== undefined && !isOver(state);
  const ends = live || opening !== undefined;
  const busy = live && state.mode !== 'paused';
  const { part, word } = busy ? { part: 'pause', word: words.pause } : { part: 'run', word: words.run };
  return html`<div class="controls">
      <button type="button" part="step" class="primary" aria-disabled=${busy} @click=${() => busy || void shown.step()}>${words.step}</button>
      <button type="button" part=${part} @click=${() => void (busy ? shown.pause() : shown.resume())}>${word}</button>
      <button type="button" part="abort" aria-disabled=${!ends} @click=${() => ends && void shown.abort()}>${words.abort}</button>
    </div>`;
}

/** The title names the origin in the attribute `frame`, before that address is checked. */
export function frame(shown: RunDisplay & { readonly frame: string | undefined }): TemplateResult {
  const origin = shown.frame?.split('/', 3).join('/') ?? '';
  return html`<iframe part="frame" title=${fill(shown.words.frame, { origin })}
      sandbox="allow-scripts allow-same-origin allow-popups" referrerpolicy="no-referrer"></iframe>
      <p role="alert" class="bad">${shown.trouble}</p>`;
}
