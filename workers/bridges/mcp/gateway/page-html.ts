import {
  type ApprovalCard,
  cardOf,
  carriedText,
  changeCard,
  type Readable,
  releaseText,
  type Span,
  spansOf,
} from '../../../../core/approval/card.ts';
import type { YesSigner } from '../../../../core/approval/signer.ts';
import type { Effect, Label } from '../../../../core/capability/guard.ts';
import type { ChangedPlace } from '../../../../core/json/difference.ts';
import { heldIn } from '../../../../core/ledger/held.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import { type Piece, visible, visibleJson, visibleLine } from '../../../../core/text/visible.ts';
import type { EditedQuestion, OpenQuestion, WantedSignatures } from '../../../api.ts';
import type { DefinitionChange } from './pins.ts';
import type { PageQuestion } from './questions.ts';
import type { ServerRow } from './servers.ts';

/** A question with the facts of its tool. */
export interface ShownQuestion extends PageQuestion {
  readonly server?: string;
  readonly description?: string;
  readonly definition?: string;
  /** Number of the state of the tool that the card shows. */
  readonly revision?: number;
  /** The tool is another by now: the call cannot run. */
  readonly isReplaced?: boolean;
  readonly labels: readonly Label[];
  /** Calls of the tool that were decided in the last hour. */
  readonly recent?: number;
  /** The guard goes on asking about such calls after a grant; effects that the person may declare instead. */
  readonly asksOn?: readonly Effect[];
}

/** A tool whose definition differs from its pin. */
export interface ShownChange {
  readonly tool: string;
  readonly server: string;
  readonly definition: string;
  readonly revision: number;
  readonly pinned: string;
  readonly effect: string;
  readonly changes: readonly DefinitionChange[];
}

/** An entry of the configuration that a person can take back. */
export interface ShownRule {
  readonly id: string;
  readonly tool: string;
  /** Hash of the definition that it is for; absent: the pinned definition. */
  readonly definition?: string;
  /** Why it has no force now. */
  readonly idle?: 'absent' | 'other' | 'stricter';
}

interface ShownEffect extends ShownRule {
  readonly effect: Effect;
}

/** A tool in the list of the page. */
export interface ShownTool {
  readonly tool: string;
  readonly effect: Effect;
  /** Calls that were decided in the last hour. */
  readonly recent: number;
}

/** The watch that has not ended. */
export interface ShownWatch {
  /** Its end as a person reads it. */
  readonly until: string;
  /** Tools whose calls run where no rule speaks. */
  readonly tools: number;
  readonly egress: boolean;
  readonly note?: string;
}

/** What the page shows. Every text may be a stranger's. */
export interface PageContent {
  readonly questions: readonly ShownQuestion[];
  readonly changes: readonly ShownChange[];
  readonly effects: readonly ShownEffect[];
  readonly tools: readonly ShownTool[];
  readonly watch?: ShownWatch;
  readonly runs: readonly RunRows[];
  /** True for a tool whose calls can be taken back. */
  readonly canRevert?: (tool: string) => boolean;
  readonly servers: readonly ServerRow[];
  /** The file that a grant is written into. */
  readonly config: string;
  /** Passkeys that its grants name. */
  readonly signers?: readonly YesSigner[];
  readonly ledger: string;
}

export interface Card {
  readonly id: string;
  readonly html: string;
}

/** The sections of the page as HTML. */
export interface PageSections {
  readonly title: string;
  /** A card for each question, by the digest. */
  readonly questions: readonly Card[];
  readonly changes: readonly Card[];
  readonly effects: readonly Card[];
  readonly watch: string;
  readonly tools: string;
  readonly runs: string;
  readonly servers: string;
  /** For the script of the page, which draws them as text. */
  readonly passkeys: { readonly config: string; readonly signers: readonly YesSigner[] };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

/** A stranger's text as HTML: no markup, and each unseen character as a mark with its number. */
export function shown(text: string): string {
  return drawn(visible(text));
}

function drawn(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('text' in piece ? escaped(piece.text) : `<mark>${piece.escape}</mark>`)).join('');
}

/** Each string in a direction of its own. */
export function drawnSpans(spans: readonly Span[]): string {
  return spans.map(({ isString, pieces }) => (isString ? `<bdi>${drawn(pieces)}</bdi>` : drawn(pieces))).join('');
}

export function sectionsOf(content: PageContent): PageSections {
  const { questions, changes, effects, tools, watch, runs, servers, config, ledger } = content;
  const { signers = [], canRevert = () => false } = content;
  const count = questions.length + changes.length;
  return {
    title: count === 0 ? 'Sallyport' : `(${count}) Sallyport`,
    questions: cardsOf(questions, (each) => ({ id: questionId(each), html: questionCard(each, config) })),
    changes: cardsOf(changes, (each) => ({ id: changeId(each), html: changeArticle(each) })),
    effects: cardsOf(effects, effectArticle),
    watch: watchPart(watch),
    tools: toolList(tools),
    runs: runs.length === 0 ? `<p>No call came yet.</p>` : runs.map((run) => runTable(run, canRevert)).join(''),
    servers: `${serverList(servers)}<p>Ledger: <code>${shown(ledger)}</code>. Configuration: <code>${shown(config)}</code>.</p>`,
    passkeys: { config: visibleLine(config), signers },
  };
}

/** UTF-16 units of the cards of a list. The first card is shown whole, however long it is. */
const CARDS_UNITS = 256 << 10;

/** The first cards, as many as a person has in view, and a line about the rest. A flood of cards makes no flood of bytes. */
export function cardsOf<T>(given: readonly T[], draw: (each: T) => Card): readonly Card[] {
  const cards: Card[] = [];
  let units = 0;
  for (const each of given) {
    if (units > CARDS_UNITS) break;
    const card = draw(each);
    cards.push(card);
    units += card.html.length;
  }
  const rest = given.length - cards.length;
  if (rest === 0) return cards;
  const id = `rest-${cards[0]?.id}-${rest}`;
  return [...cards, { id, html: `<p class="note" id="${id}">${rest} more are shown after these.</p>` }];
}

/** Another state of the tool is another card: the page puts it in the place of the old card, and its clicks wait. */
function questionId({ question, revision, isReplaced = false }: ShownQuestion): string {
  const parts = question.signed?.parts.length ?? 0;
  return `q-${question.digest}-${isReplaced ? 'replaced' : (revision ?? 0)}${parts === 0 ? '' : `-${parts}`}`;
}

function changeId({ definition, revision }: ShownChange): string {
  return `c-${definition}-${revision}`;
}

/** What the card's answers are bound to, and what must have been read, for the script of the page. */
function askedOf({ bound: { digest, definition, revision }, mustRead }: Readable): string {
  return `data-digest="${escaped(visibleLine(digest))}" data-definition="${definition}" data-revision="${revision}" data-must-read="${mustRead.join(' ')}"`;
}

const END = '<span class="end" data-end=';
const UNREAD = '<p class="note unread" hidden>The text scrolls: scroll to its end before you say yes.</p>';
const LOOKALIKE =
  '<p class="warn">Some letters here may not be what they look like: a word mixes two alphabets or could be read as Latin.</p>';

/** The card of a call that a person has edited, in the place of the card that the edit began on. */
export function editedCard(asked: ShownQuestion & { readonly question: EditedQuestion }, config: string): Card {
  return { id: questionId(asked), html: questionCard(asked, config, asked.question.changed) };
}

/** `changed`: what a person has changed in the call that was asked about. */
function questionCard(asked: ShownQuestion, config: string, changed?: readonly ChangedPlace[]): string {
  const { question, server, description, definition, revision = 0, isReplaced, labels } = asked;
  const facts = definition === undefined ? {} : { definition: { hash: definition, revision, text: description ?? '' } };
  const card = cardOf(question, { ...facts, ...(server !== undefined && { server }), labels });
  // A tool of this program has no definition of a server.
  const seen = definition === undefined ? { ...card, bound: { ...card.bound, definition: '', revision } } : card;
  const id = questionId(asked);
  if (isReplaced)
    return `<article class="card changed" id="${id}" ${askedOf({ ...seen, mustRead: [] })} aria-labelledby="${id}-title">
<h3 id="${id}-title" tabindex="-1"><code>${drawn(card.title)}</code> was changed while its call waited</h3>
<p>The call was made for the definition of before, so it cannot run. The host waits until you deny it, and can call again.</p>
<p class="buttons"><button type="button" data-answer="deny" aria-describedby="${id}-title">Deny</button></p></article>`;
  const { signed } = question;
  return `<article class="card" id="${id}" ${askedOf(seen)}${signed === undefined ? '' : signedData(question, signed)} aria-labelledby="${id}-title">
<h3 id="${id}-title" tabindex="-1">May <code>${drawn(card.title)}</code> be called?</h3>
<dl>${row('Effect', `<strong class="effect">${card.effect}</strong>${card.isDeclared ? ', as you have declared for this definition' : ''}`)}${asked.principal === undefined ? '' : row('For', personText(asked.principal))}${row('Server', drawn(card.server ?? visible('this program')))}${card.origin === undefined ? '' : row('Goes to', `<code>${drawn(card.origin)}</code>`)}${card.releases === undefined ? '' : row('Release', escaped(releaseText(card.releases)))}${row('Reason', drawn(card.reason))}${row('Labels of the result', labels.join(', ') || 'none')}</dl>
${changed === undefined ? '' : changedPart(changed)}<h4>Arguments</h4>${callArguments(card)}
${card.definition === undefined ? '' : `<details><summary>Definition, in the words of the server</summary>${pre(drawn(card.definition), 'Definition')}<p>Hash <code>${card.bound.definition}</code></p></details>`}
${UNREAD}${answersOf(asked, card, config, changed !== undefined)}${editorPart(asked, changed !== undefined)}</article>`;
}

function changedPart(changed: readonly ChangedPlace[]): string {
  const changes = changed.map(({ pointer, before, after }) => ({
    pointer,
    ...(before !== undefined && { before: JSON.stringify(before) }),
    ...(after !== undefined && { after: JSON.stringify(after) }),
  }));
  return `<h4>What you have changed</h4>${differenceOf(changes, 'What you have changed')}<p class="note">The model hears that you have replaced its call, and what came of yours.</p>`;
}

/** The field for the arguments, as JSON in which each unseen character is an escape. The script of the page opens it. */
function editorPart(asked: ShownQuestion, isEdited: boolean): string {
  if (asked.question.editable !== true && !isEdited) return '';
  const id = questionId(asked);
  return `<form class="editor" hidden><label for="${id}-args">Arguments as JSON</label><textarea id="${id}-args" rows="8" dir="ltr" spellcheck="false" aria-describedby="${id}-fault">${escaped(visibleJson(prettyJson(asked.question.args)))}</textarea><p class="warn" id="${id}-fault" role="alert"></p><p class="choices"><button>Show the change</button><button type="button" data-back="">Back</button></p></form>`;
}

/** Issuer and subject, as the token of a call has told them. */
function personText(principal: string): string {
  const at = principal.indexOf(' ');
  return `<strong>${shown(principal.slice(at + 1))}</strong> at <code>${shown(principal.slice(0, at))}</code>`;
}

/** What the page's script has a passkey sign. */
function signedData({ capability_hash }: OpenQuestion, signed: WantedSignatures): string {
  return ` data-capability="${escaped(visibleLine(capability_hash))}" data-signed="${escaped(JSON.stringify(signed))}"`;
}

/** The buttons. A signed yes is for this call alone, and no click takes away that it has to be signed. */
function answersOf(asked: ShownQuestion, { signatures }: ApprovalCard, config: string, isEdited: boolean): string {
  const id = questionId(asked);
  const button = (kind: string, text: string): string =>
    `<button type="button" ${kind} aria-describedby="${id}-title">${text}</button>`;
  const edit = isEdited ? button('data-edit=""', 'Edit again…') : button('data-edit=""', 'Edit…');
  const deny = `${button('data-answer="deny"', 'Deny')}${isEdited || asked.question.editable === true ? `\n${edit}` : ''}`;
  if (signatures === undefined) {
    const once = button('data-answer="once"', isEdited ? 'Approve the edited call' : 'Allow once');
    const hasTool = asked.definition !== undefined && !isEdited;
    return `<p class="buttons">${once}
${deny}${hasTool ? alwaysPart(asked, config) : '</p>'}
${hasTool ? rulePart(asked) : ''}`;
  }
  const { of, names, parts } = signatures;
  const list = (pieces: readonly (readonly Piece[])[]): string => pieces.map(drawn).join(', ');
  const who =
    of === 1 ? `Your yes is signed with a passkey of: ${list(names)}.` : `${of} of these sign the yes: ${list(names)}.`;
  const done = parts.length === 0 ? '' : ` ${parts.length} of ${of} signed, by ${list(parts.map(({ name }) => name))}.`;
  return `<p class="note">${who}${done} <span class="obstacle"></span></p><p class="buttons">${button('data-answer="once" data-sign=""', 'Sign with a passkey')}
${deny}</p>`;
}

const DOES: { readonly [E in Effect]: string } = {
  pure: 'it does nothing',
  read: 'it only reads',
  write: 'it changes something',
  egress: 'it sends data out',
};

/** *Always*, what it does not do, and what the person can say of the tool instead. */
function alwaysPart({ question: { digest, effect }, asksOn }: ShownQuestion, config: string): string {
  const button = (text: string, declared = ''): string =>
    `<button type="button" data-answer="always"${declared} aria-describedby="${digest}-always">${text}</button>`;
  const file = `<code>${shown(config)}</code>`;
  const note = `<em>Always</em> writes a grant for this definition into ${file}.`;
  const first = `${button('Always for this server and tool')}</p>`;
  if (asksOn === undefined) return `${first}<p class="note" id="${digest}-always">${note}</p>`;
  const rule =
    effect === 'egress'
      ? 'The tool counts as one that sends data out. After private data and data from outside, the guard goes on asking about each such call, also after <em>Always</em>.'
      : 'The tool counts as one that changes something. After data from outside, the guard goes on asking about such calls, also after <em>Always</em>.';
  if (asksOn.length === 0) return `${first}<p class="note" id="${digest}-always">${note} ${rule}</p>`;
  const offers = asksOn.map((each) => button(`Always, and ${DOES[each]}`, ` data-effect="${each}"`));
  return `${first}<p class="note" id="${digest}-always">${note} ${rule} If you know that this definition does less, say so. It is written into ${file}, stands on each later card and in each receipt, and is taken back on this page under <em>Declared effects</em>.</p>
<p class="buttons">${offers.join(' ')}</p>`;
}

/** Calls of an hour from which on a rule is offered beside a question. */
const FREQUENT = 3;

function rulePart({ question: { capability }, recent = 0 }: ShownQuestion): string {
  return recent < FREQUENT ? '' : `<p class="note">${recentText(recent)}: ${ruleButton(capability)}</p>`;
}

function recentText(recent: number): string {
  return `${recent === 1 ? '1 call' : `${recent} calls`} of this kind in the last hour`;
}

function ruleButton(tool: string): string {
  return `<button type="button" data-rule="${escaped(tool)}" aria-label="Propose a rule for ${escaped(visibleLine(tool))}">Propose a rule</button>`;
}

/** Lengths of a watch that the page offers. */
const LENGTHS: readonly (readonly [option: string, words: string])[] = [
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['2h', '2 hours'],
  ['8h', '8 hours'],
  ['24h', '24 hours'],
];

function watchPart(watch: ShownWatch | undefined): string {
  if (watch !== undefined) {
    const { until, tools, egress, note } = watch;
    const which = `${tools === 1 ? 'One tool runs' : `${tools} tools run`} without a question where no rule speaks, and each call is recorded. ${egress ? 'Tools that send data out run, too.' : 'Tools that send data out ask.'} The guard asks as before.`;
    return `<p><strong>Watching until ${escaped(until)}.</strong> ${which}</p>${note === undefined ? '' : `<p class="note">${shown(note)}</p>`}<p class="buttons"><button type="button" data-watch="end">End the watch</button></p>`;
  }
  const options = LENGTHS.map(
    ([option, words]) => `<option value="${option}"${option === '1h' ? ' selected' : ''}>${words}</option>`,
  );
  return `<p>A watch lets the tools that are pinned now run without a question where no rule speaks, and records each call. Then propose a rule for each tool.</p>
<p class="choices"><label>For <select id="watch-length">${options.join('')}</select></label><label><input type="checkbox" id="watch-egress"> Tools that send data out, too</label><button type="button" data-watch="begin">Begin to watch</button></p>`;
}

/** Tools that the page lists. */
const TOOLS_MAX = 200;

/** The tools that were called most stand first. */
function toolList(tools: readonly ShownTool[]): string {
  if (tools.length === 0) return '<p>No tool is offered.</p>';
  const sorted = [...tools].sort((one, other) => other.recent - one.recent || (one.tool < other.tool ? -1 : 1));
  const items = sorted
    .slice(0, TOOLS_MAX)
    .map(
      ({ tool, effect, recent }) =>
        `<li><span class="name"><code>${shown(tool)}</code> <span class="note">${effect}${recent === 0 ? '' : `, ${recentText(recent)}`}</span></span>${ruleButton(tool)}</li>`,
    );
  const rest = sorted.length - items.length;
  return `<ul>${items.join('')}</ul>${rest === 0 ? '' : `<p class="note">${rest} more are not listed.</p>`}`;
}

/** The texts of several lines as they read, and the exact arguments, a member a line, in which texts keep their spelling. */
function callArguments({ args, carries, unseen, lookalike }: ApprovalCard): string {
  const length = args.isLong ? `<p class="note">${args.length} characters.</p>` : '';
  const text = `${drawnSpans(spansOf(prettyJson(args.text)))}${END}"args"></span>`;
  const held = carries.map((each) => `<li>${shown(carriedText(each))}</li>`).join('');
  const values =
    held === '' ? '' : `<p class="note">Values that the model has not read:</p><ul class="note">${held}</ul>`;
  const texts = args.texts.map(
    ({ place, pieces }) =>
      `<p class="note">As text: <bdi><code>${drawn(place)}</code></bdi></p>${pre(drawn(pieces), 'Text')}`,
  );
  return `${texts.join('')}${pre(text, 'Arguments', args.isExact ? 'exact' : '')}${length}${values}${unseenText(unseen)}${lookalike === 0 ? '' : LOOKALIKE}`;
}

export function unseenText(unseen: number): string {
  return unseen === 0 ? '' : `<p class="warn">Unseen characters: ${unseen}. Each is written as its number.</p>`;
}

function changeArticle(change: ShownChange): string {
  const { tool, server, pinned, effect, changes } = change;
  const id = changeId(change);
  const texts = changes.flatMap(({ pointer, before = '', after = '' }) => [pointer, before, after]);
  const card = changeCard(change, texts);
  return `<article class="card changed" id="${id}" ${askedOf(card)} aria-labelledby="${id}-title">
<h3 id="${id}-title" tabindex="-1"><code>${shown(tool)}</code> has another definition than before</h3>
<p>The server ${shown(server)} changed it. Its calls are refused until you accept the new definition. Its effect is <strong>${effect}</strong>. Grants for the old definition are void.</p>
${differenceOf(changes, 'Difference of the definitions', `${END}"changes"></span>`)}
${card.lookalike === 0 ? '' : LOOKALIKE}${UNREAD}<p class="buttons"><button type="button" data-pinned="${escaped(visibleLine(pinned))}" aria-describedby="${id}-title">Accept the new definition</button></p>
</article>`;
}

/** Each place, before and now, as a table that scrolls. `end` stands behind it. */
function differenceOf(changes: readonly DefinitionChange[], label: string, end = ''): string {
  const rows = changes.map(
    ({ pointer, before, after }) =>
      `<tbody><tr><th scope="rowgroup" colspan="2"><code>${shown(pointer)}</code></th></tr><tr><td>${value(before)}</td><td>${value(after)}</td></tr></tbody>`,
  );
  return `<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table class="halves"><thead><tr><th scope="col">Before</th><th scope="col">Now</th></tr></thead>${rows.join('')}</table>${end}</div>`;
}

function effectArticle(rule: ShownEffect): Card {
  const { tool, effect } = rule;
  return ruleArticle(rule, `<code>${shown(tool)}</code>: ${DOES[effect]}`, [
    `It counts as <strong class="effect">${effect}</strong>, as you have declared. Taken back, it counts as the configuration of its server says.`,
  ]);
}

const IDLE: { readonly [I in NonNullable<ShownRule['idle']>]: string } = {
  absent: 'No tool has this name now, so it has no force.',
  other: 'The tool has another definition now, so it has no force.',
  stricter: 'The server itself says that the tool does more, and that counts.',
};

/** What a person has said, with a button that takes it back. `state`: another one is another card. */
export function ruleArticle(
  { id: digest, definition, idle }: Omit<ShownRule, 'tool'>,
  title: string,
  lines: readonly string[],
  { state = '', button = 'Take back' }: { readonly state?: string; readonly button?: string | undefined } = {},
): Card {
  const id = `r-${digest}-${idle ?? 'held'}${state}`;
  const asked: Readable = { bound: { digest, definition: definition ?? '', revision: 0 }, mustRead: [] };
  const all = [
    ...lines.map((line) => `<p>${line}</p>`),
    ...(idle === undefined ? [] : [`<p class="warn">${IDLE[idle]}</p>`]),
    ...(definition === undefined ? [] : [`<p class="note">For the definition <code>${definition}</code></p>`]),
  ];
  const html = `<article class="card rule" id="${id}" ${askedOf(asked)} aria-labelledby="${id}-title">
<h3 id="${id}-title" tabindex="-1">${title}</h3>${all.join('')}
${button === '' ? '' : `<p class="buttons"><button type="button" data-act="take-back" aria-describedby="${id}-title">${button}</button></p>`}</article>`;
  return { id, html };
}

function value(text: string | undefined): string {
  return text === undefined ? '<i>absent</i>' : `<code>${shown(text)}</code>`;
}

function runTable({ run_id, records, head, ended, steps }: RunRows, canRevert: (tool: string) => boolean): string {
  const row = (each: RunStepRow): string => stepRow(each, run_id, canRevert(each.tool ?? ''));
  const state = ended === undefined ? 'open' : `sealed, ${escaped(ended)}`;
  return `<h3>Run <code>${shown(run_id)}</code></h3><p>${records} records, ${state}. Head <code>${shown(head)}</code></p>
<div class="scroll" tabindex="0" role="group" aria-label="Steps of run ${escaped(visibleLine(run_id))}"><table><thead><tr><th scope="col">Step</th><th scope="col">Tool</th><th scope="col">Decision</th><th scope="col">Person</th><th scope="col">Result</th><th scope="col">Receipt</th></tr></thead><tbody>${[...steps].reverse().map(row).join('')}</tbody></table></div>`;
}

/** `isReverted`: the calls of the tool can be taken back. */
function stepRow(
  { step, tool, decision, answer, status, code, receipt, held, released }: RunStepRow,
  run_id: string,
  isReverted: boolean,
): string {
  const told = released === undefined ? '' : `, told to the model for ${released === 1 ? '1 bit' : `${released} bits`}`;
  const result =
    status === undefined ? 'under way' : `${status.toLowerCase()}${code === undefined ? '' : `, ${code}`}${told}`;
  const run = escaped(visibleLine(run_id));
  const open =
    held === undefined
      ? ''
      : `<br><button type="button" data-held="${escaped(visibleLine(held))}" data-run="${run}">Open the held value of step ${step}</button>`;
  const cells = [decision ?? '', answer ?? ''].map((text) => `<td>${shown(text)}</td>`).join('');
  const hash = receipt === undefined ? '' : `<code title="${receipt}">${receipt.slice(0, 12)}</code>`;
  const undo =
    !isReverted || status !== 'SUCCESS'
      ? ''
      : `<br><button type="button" data-undo="${run}" data-step="${step}">Take back step ${step}</button>`;
  return `<tr><th scope="row">${step}</th><td><code>${shown(tool ?? '')}</code>${undo}</td>${cells}<td>${shown(result)}${open}</td><td>${hash}</td></tr>`;
}

function serverList(servers: readonly ServerRow[]): string {
  const items = servers.map(
    ({ name, origin, status, instructions, isPassedOn = false }) =>
      `<li>${shown(name)}: ${shown(status)} <code>${shown(origin)}</code>${instructions === undefined ? '' : instructionsOf(instructions, isPassedOn)}</li>`,
  );
  return items.length === 0 ? '<p>No server runs.</p>' : `<ul>${items.join('')}</ul>`;
}

function instructionsOf(text: string, isPassedOn: boolean): string {
  const told = isPassedOn ? 'Hosts get them.' : 'Hosts do not get them.';
  return `<details><summary>Instructions for models, in the words of the server. ${told}</summary>${pre(shown(text), 'Instructions')}</details>`;
}

export function row(name: string, html: string): string {
  return `<dt>${name}</dt><dd>${html}</dd>`;
}

/** A block that scrolls can be reached by keyboard. */
export function pre(html: string, label: string, kind = ''): string {
  return `<pre tabindex="0" dir="ltr" role="group" aria-label="${label}" class="${kind}">${html}</pre>`;
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A step of a run as the page shows it. */
interface RunStepRow {
  readonly step: number;
  readonly tool?: string;
  readonly decision?: string;
  /** Answer of a person, with its origin. */
  readonly answer?: string;
  readonly status?: string;
  readonly code?: string;
  readonly labels?: readonly Label[];
  /** Handle of its outcome, where that is held. */
  readonly held?: string;
  /** Bits for which the model was told its result. */
  readonly released?: number;
  /** Hash of the receipt's record. */
  readonly receipt?: string;
}

/** A run as the page shows it: its newest steps. */
export interface RunRows {
  readonly run_id: string;
  readonly records: number;
  readonly head: string;
  readonly ended?: string;
  readonly steps: readonly RunStepRow[];
}

/** Steps that the page shows of a run. */
const STEPS_MAX = 100;

export function newRunRows(run_id: string): RunRows {
  return { run_id, records: 0, head: '', steps: [] };
}

/** The rows after one more record. */
export function withRecord(run: RunRows, record: LedgerRecord): RunRows {
  const next = { ...run, records: run.records + 1, head: record.hash };
  if (record.kind === 'seal') return { ...next, ended: record.body.state };
  const more = stepPart(record);
  if (more === undefined) return next;
  const before = run.steps.find(({ step }) => step === more.step);
  const steps = [...run.steps.filter((each) => each !== before), { ...before, ...more }];
  return { ...next, steps: steps.slice(-STEPS_MAX) };
}

function stepPart(record: LedgerRecord): RunStepRow | undefined {
  const { kind, body, hash } = record;
  switch (kind) {
    case 'proposal':
      return { step: body.step };
    case 'verdict':
      return { step: body.step, ...(body.capability !== undefined && { tool: body.capability }) };
    case 'decision':
      return { step: body.step, tool: body.capability, decision: body.decision };
    case 'approval':
      if (body.event !== 'answered') return { step: body.step, answer: 'asked' };
      return { step: body.step, answer: `${body.approved ? 'yes' : 'no'} (${body.via ?? 'program'})` };
    case 'receipt': {
      const { step, reason, labels, held } = body.evidence;
      const [opened] = heldIn([record]);
      return {
        step,
        status: body.receipt.status,
        labels,
        receipt: hash,
        ...(reason && { code: reason.code }),
        ...(opened && { held: opened.handle }),
        ...(held?.release && { released: held.release.bits }),
      };
    }
    default:
      return undefined;
  }
}
