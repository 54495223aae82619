import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import type { ClassFile, ClassPupil, ClassTable, LessonCell } from '../../../../core/lesson/class.ts';
import { spokenVerdict } from '../../../shared/verdict.ts';
import { type IconName, icon } from '../../../style/icons.ts';
import { shared } from '../../../style/shared.ts';
import { learn } from '../../../texts/en/learn.ts';
import { list, number } from '../../../texts/intl.ts';
import { entriesIn, filesBelow } from '../../parts/dropped-files.ts';
import { whyText } from '../../parts/page-error.ts';
import { saveFile } from '../../parts/save-file.ts';
import { shown } from '../../parts/text.ts';
import { View } from '../../parts/view.ts';
import { type ClassCheck, openClassCheck } from './class-check.ts';
import type { ChosenFile } from './worker.ts';

let opened: ClassCheck | undefined;

/** A column of the table: a lesson by its number. */
type Column = 'pupil' | 'solved' | number;

interface Sorting {
  readonly by: Column;
  readonly descending: boolean;
}

/** The table of a class: pupils by lessons, from the evidence that they have handed in. */
class ClassView extends View {
  static override styles: CSSResult[] = [shared, classStyles()];
  readonly #sorting: Signal<Sorting> = signal({ by: 'pupil', descending: false });
  /** Places in the table of the pupils whose files are shown. */
  readonly #unfolded: Signal<ReadonlySet<ClassPupil>> = signal(new Set());

  get #check(): ClassCheck {
    opened ??= openClassCheck(this.store.runtime);
    return opened;
  }

  protected override view(): TemplateResult {
    const { lesson, myClass: texts } = learn();
    const state = this.#check.state.value;
    const back = (): void => {
      this.store.place.isClass.value = false;
    };
    return html`<div class="class" @dragover=${allowDrop} @drop=${this.#drop}>
      <nav aria-label=${lesson.way}><button type="button" class="plain" id="all" @click=${back}>${icon('list')}${lesson.all}</button></nav>
      <header>
        <h1>${texts.title}</h1>
        <p class="lead">${texts.lead}</p>
        <p class="act">
          <label class="file ${state.kind === 'empty' ? 'first' : ''}">${icon('plus')}${texts.zips}<input type="file" id="zips" multiple accept=".zip,.jsonl,.html" @change=${this.#pick} /></label>
          <label class="file">${icon('open')}${texts.folder}<input type="file" id="folder" webkitdirectory @change=${this.#pick} /></label>
          <span class="soft touchless">${texts.drop}</span>
        </p>
      </header>
      ${state.kind === 'empty' ? html`<p class="none soft">${icon('inbox')}${texts.empty}</p>` : ''}
      ${state.kind === 'working' ? this.#progress(state.share, state.name) : ''}
      ${state.kind === 'failed' ? html`<p class="bad" role="alert">${whyText(state.error)}</p>` : ''}
      ${state.kind === 'table' ? this.#result(state.table) : ''}
    </div>`;
  }

  #progress(share: number | undefined, name: string | undefined): TemplateResult {
    const { myClass: texts } = learn();
    return html`<section class="progress">
      <p role="status">${share === undefined || name === undefined ? texts.listing : html`${shown(texts.checking(name))}`} <span class="soft">${share === undefined ? '' : texts.share(share)}</span></p>
      <progress max="1" value=${share ?? nothing} aria-label=${texts.title}></progress>
      <p><button type="button" id="cancel" @click=${() => this.#check.cancel()}>${icon('stop')}${texts.cancel}</button></p>
    </section>`;
  }

  #result(table: ClassTable): TemplateResult {
    const { myClass: texts } = learn();
    const { columns, absent } = columnsOf(table);
    const files = table.pupils.flatMap((pupil) => pupil.files);
    const faults = files.filter(isFault).length;
    const sorting = this.#sorting.value;
    const pupils = sorted(table.pupils, sorting);
    const label = shortNames(table);
    return html`<section class="result">
      <p role="status" id="summary">${texts.summary(pupils.length, columns.length, files.length)} <span class=${faults === 0 ? 'good' : 'bad'}>${texts.faults(faults)}</span>
        ${absent.length === 0 ? '' : html`<span class="soft">${texts.notHandedIn(list(absent.map(String), 'disjunction'))}</span>`}</p>
      <p class="act">
        <button type="button" id="csv" @click=${() => saveFile('class.csv', csvOf(table, columns, label), 'text/csv')}>${icon('download')}${texts.csv}</button>
        <button type="button" id="print" @click=${() => print()}>${icon('receipt')}${texts.print}</button>
        <span class="unseen" role="status">${texts.sortedBy(this.#name(sorting.by), sorting.descending)}</span>
      </p>
      <div class="scroll" role="region" tabindex="0" aria-label=${texts.table}>
        <table>
          <thead><tr>${(['pupil', ...columns, 'solved'] as const).map((column) => this.#header(column))}</tr></thead>
          <tbody>${pupils.map((pupil, at) => this.#row(pupil, columns, label, at))}</tbody>
        </table>
      </div>
      <ul class="legend">
        ${(['solved', 'missing', 'copied'] as const).map((state) => html`<li class=${TONES[state]}>${icon(ICONS[state])}<span>${texts.states[state]}</span></li>`)}
      </ul>
      <p class="soft">${texts.legend}</p>
    </section>`;
  }

  #name(column: Column): string {
    const { myClass: texts } = learn();
    return column === 'pupil' ? texts.pupil : column === 'solved' ? texts.solvedColumn : texts.lesson(column);
  }

  #header(column: Column): TemplateResult {
    const { by, descending } = this.#sorting.value;
    const isBy = by === column;
    const sort = (): void => {
      // a lesson and a count begin with those who have most of it
      this.#sorting.value = { by: column, descending: isBy ? !descending : column !== 'pupil' };
    };
    const name = this.#name(column);
    return html`<th scope="col" class=${column === 'pupil' ? 'name' : ''} aria-sort=${isBy ? (descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="plain" aria-label=${name} title=${name} @click=${sort}>${typeof column === 'number' ? column : name}<span class="way" aria-hidden="true">${isBy ? (descending ? '▾' : '▴') : ''}</span></button>
    </th>`;
  }

  #row(pupil: ClassPupil, columns: readonly number[], label: (name: string) => string, at: number): TemplateResult {
    const { myClass: texts } = learn();
    const isOpen = this.#unfolded.value.has(pupil);
    const fold = (): void => {
      const next = new Set(this.#unfolded.peek());
      if (!next.delete(pupil)) next.add(pupil);
      this.#unfolded.value = next;
    };
    const name = label(pupil.name);
    const cells = pupil.lessons.filter(({ lesson }) => columns.includes(lesson));
    return html`<tr>
        <th scope="row" class="name"><button type="button" class="plain" aria-expanded=${isOpen} aria-controls=${isOpen ? `files-${at}` : nothing} title=${texts.details(name)} @click=${fold}><span class="turn">${icon('chevron')}</span><span>${shown(name)}</span></button>
          ${notesOf(pupil, label).map((note) => html`<span class="note">${shown(note)}</span>`)}</th>
        ${cells.map((cell) => cellView(cell))}
        <td class="solved">${number(pupil.solved)}</td>
      </tr>
      ${isOpen ? html`<tr class="files" id=${`files-${at}`}><td colspan=${columns.length + 2}>${filesView(pupil, columns)}</td></tr>` : ''}`;
  }

  readonly #pick = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    input.value = '';
    if (files.length > 0) this.#begin(async () => files);
  };

  readonly #drop = (event: DragEvent): void => {
    event.preventDefault();
    if (event.dataTransfer === null) return;
    const entries = entriesIn(event.dataTransfer);
    if (entries.length === 0) return;
    this.#begin(async (signal) => {
      const files = await filesBelow(entries, signal);
      return Promise.all(files.map(async ({ path, open }) => ({ path: path.replace(/^\//u, ''), file: await open() })));
    });
  };

  #begin(find: (signal: AbortSignal) => Promise<readonly ChosenFile[]>): void {
    this.#unfolded.value = new Set();
    void this.#check.begin(find);
  }
}

function allowDrop(event: DragEvent): void {
  event.preventDefault();
  if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
}

const ICONS: { readonly [S in LessonCell['state']]: IconName } = {
  solved: 'check',
  not_yet: 'dot',
  missing: 'dash',
  copied: 'copy',
};
const TONES: { readonly [S in LessonCell['state']]: string } = {
  solved: 'good',
  not_yet: '',
  missing: 'soft',
  copied: 'wait',
};

function cellView({ state, tasks, solved }: LessonCell): TemplateResult {
  const said = stateText({ state, tasks });
  const done = tasks.filter(Boolean).length;
  const count = html`<span aria-hidden="true">${number(done)}/${number(tasks.length)}</span>`;
  const mark = state === 'not_yet' ? count : html`${icon(ICONS[state])}${state === 'copied' && !solved ? count : ''}`;
  return html`<td class=${TONES[state]} title=${said}>${mark}<span class="unseen">${said}</span></td>`;
}

function stateText({ state, tasks }: Pick<LessonCell, 'state' | 'tasks'>): string {
  const { states } = learn().myClass;
  return state === 'not_yet' ? states.not_yet(tasks.filter(Boolean).length, tasks.length) : states[state];
}

function isFault({ use }: ClassFile): boolean {
  return use === 'altered' || use === 'unread';
}

const NAMED_MAX = 2;

/** The second line of a pupil: common runs, and altered files. */
function notesOf(pupil: ClassPupil, label: (name: string) => string): readonly string[] {
  const { myClass: texts } = learn();
  const some = (all: readonly string[]): string =>
    list(all.length <= NAMED_MAX ? all : [...all.slice(0, NAMED_MAX), texts.more(all.length - NAMED_MAX)]);
  const same = pupil.shared.map(({ pupil: other, runs, of }) => texts.sharedWith(label(other), runs, of));
  const faults = pupil.files.filter(isFault).map(({ name }) => fileName(name));
  const notes = [
    ...(same.length === 0 ? [] : [some(same)]),
    ...(faults.length === 0 ? [] : [texts.alteredFiles(some(faults))]),
  ];
  return notes.length === 0 ? [] : [notes.join('. ')];
}

function filesView({ lessons, files }: ClassPupil, columns: readonly number[]): TemplateResult {
  const { myClass: texts } = learn();
  const open = lessons.filter(
    ({ lesson, solved, state }) => columns.includes(lesson) && !solved && state !== 'missing',
  );
  return html`<ul>
    ${open.map(({ lesson, tasks }) => html`<li>${texts.notShown(lesson, list(tasks.flatMap((isShown, i) => (isShown ? [] : [String(i + 1)]))))}</li>`)}
    ${files.map((file) => html`<li class=${isFault(file) ? 'bad' : ''}><span class="mono">${shown(fileName(file.name))}</span> ${shown(sentenceOf(file))}</li>`)}
  </ul>`;
}

function sentenceOf({ use, report, fault = '' }: ClassFile): string {
  const { myClass: texts } = learn();
  if (use === 'evidence') return texts.evidence;
  return report === undefined ? texts.notRead(fault) : spokenVerdict(report, {}).sentence;
}

/** The name of a file without its folder or its zip. */
function fileName(name: string): string {
  return name.replace(/^.*(?:\/|: )/su, '');
}

/** The lessons that a pupil handed in, which are the columns, and the others. */
function columnsOf({ lessons, pupils }: ClassTable): {
  readonly columns: readonly number[];
  readonly absent: readonly number[];
} {
  const isThere = (lesson: number): boolean =>
    pupils.some((pupil) => pupil.lessons.some((cell) => cell.lesson === lesson && cell.state !== 'missing'));
  return { columns: lessons.filter(isThere), absent: lessons.filter((lesson) => !isThere(lesson)) };
}

function sorted(pupils: readonly ClassPupil[], { by, descending }: Sorting): readonly ClassPupil[] {
  const order = [...pupils];
  if (by !== 'pupil') {
    const key = ({ solved, lessons }: ClassPupil): number =>
      by === 'solved' ? solved : shareOf(lessons.find(({ lesson }) => lesson === by));
    order.sort((a, b) => key(a) - key(b));
  }
  // pupils stand in the order of their names already
  return by === 'pupil' && !descending ? order : descending ? order.reverse() : order;
}

function shareOf(cell: LessonCell | undefined): number {
  if (cell === undefined || cell.state === 'missing') return -1;
  return cell.tasks.filter(Boolean).length / cell.tasks.length;
}

/** Names of pupils without the folder that all of them are in, and without `.zip`. */
function shortNames({ pupils }: ClassTable): (name: string) => string {
  const [first = ''] = pupils.map(({ name }) => name);
  const folder = first.slice(0, first.lastIndexOf('/') + 1);
  const isCommon = pupils.every(({ name }) => name.startsWith(folder));
  return (name) =>
    name === '.' ? learn().myClass.loose : (isCommon ? name.slice(folder.length) : name).replace(/\.zip$/iu, '');
}

/** The table as CSV, for a spreadsheet. A name that a spreadsheet would take for a formula is quoted with an apostrophe. */
function csvOf(table: ClassTable, columns: readonly number[], label: (name: string) => string): string {
  const { myClass: texts } = learn();
  const field = (text: string): string => {
    const safe = /^[-=+@\t\r]/u.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  const head = [texts.pupil, ...columns.map(texts.lesson), texts.solvedColumn, ''];
  const rows = table.pupils.map((pupil) => [
    label(pupil.name),
    ...pupil.lessons.filter(({ lesson }) => columns.includes(lesson)).map(stateText),
    String(pupil.solved),
    notesOf(pupil, label).join(''),
  ]);
  // the mark says to spreadsheets that it is UTF-8
  return `\ufeff${[head, ...rows].map((row) => row.map(field).join(',')).join('\r\n')}\r\n`;
}

function classStyles(): CSSResult {
  return css`
    :host {
      height: 100%;
      overflow-y: auto;
    }
    .class {
      max-width: 76rem;
      min-height: 100%;
      margin: 0 auto;
      padding: 0.5rem 1.25rem 3rem;
    }
    header,
    .result,
    .progress {
      display: grid;
      gap: 0.75rem;
      min-width: 0;
    }
    h1 {
      font-size: 1.75rem;
      font-weight: 700;
      letter-spacing: -0.02em;
    }
    .lead {
      max-width: 46rem;
    }
    .act {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.5rem 0.75rem;
    }
    .file.first {
      border-color: var(--accent);
      background: var(--accent);
      color: var(--on-accent);
      font-weight: 650;
    }
    .file.first:hover {
      background: var(--accent-strong);
    }
    .result,
    .progress {
      margin-top: 1.5rem;
    }
    progress {
      width: min(30rem, 100%);
      accent-color: var(--accent);
    }
    .none {
      display: grid;
      justify-items: center;
      gap: 0.5rem;
      margin-top: 1.5rem;
      padding: 3rem 1.5rem;
      border: 1px dashed var(--edge);
      border-radius: var(--radius);
    }
    .none svg {
      width: 2.5rem;
      height: 2.5rem;
    }
    .scroll {
      max-width: 100%;
      overflow-x: auto;
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--panel);
    }
    table {
      width: 100%;
      border-collapse: collapse;
      font-variant-numeric: tabular-nums;
    }
    th,
    td {
      padding: 0.25rem 0.375rem;
      border-bottom: 1px solid var(--line);
      text-align: center;
      font-weight: 400;
    }
    tbody tr:last-child > * {
      border-bottom: 0;
    }
    thead th {
      padding: 0;
      background: var(--sunk);
    }
    th.name {
      position: sticky;
      left: 0;
      z-index: 1;
      min-width: 9rem;
      max-width: 22rem;
      background: var(--panel);
      text-align: left;
    }
    thead th.name {
      background: var(--sunk);
    }
    thead button {
      gap: 0.125rem;
      width: 100%;
      min-width: 2.5rem;
      padding: 0.25rem 0.375rem;
      font-weight: 650;
    }
    thead .name button,
    tbody th button {
      justify-content: start;
    }
    .way {
      min-width: 0.75em;
    }
    tbody th button {
      min-height: 2rem;
      padding: 0.125rem 0.25rem;
      font-weight: 650;
      text-align: start;
      white-space: normal;
      overflow-wrap: anywhere;
    }
    .turn {
      display: grid;
    }
    .turn svg {
      width: 1rem;
      height: 1rem;
    }
    [aria-expanded='true'] .turn {
      transform: rotate(90deg);
    }
    .note {
      display: block;
      padding-left: 1.75rem;
      color: var(--wait);
      font-size: 0.875rem;
      overflow-wrap: anywhere;
    }
    td.wait {
      background: var(--wait-wash);
    }
    .solved {
      font-weight: 650;
    }
    .files td {
      padding: 0.5rem 1rem 0.75rem 2rem;
      background: var(--sunk);
      text-align: left;
    }
    .files ul,
    .legend {
      display: grid;
      gap: 0.25rem;
    }
    .files li {
      overflow-wrap: anywhere;
    }
    .legend {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem 1.5rem;
    }
    .legend li {
      display: flex;
      align-items: center;
      gap: 0.375rem;
    }
    @media (hover: none) {
      .touchless {
        display: none;
      }
    }
    @media (max-width: 40rem) {
      .class {
        padding: 0.25rem 0.75rem 2rem;
      }
      th.name {
        min-width: 7.5rem;
        max-width: 9.5rem;
      }
      .note {
        padding-left: 0.25rem;
      }
    }
    @media print {
      :host {
        height: auto;
        overflow: visible;
      }
      nav,
      .lead,
      .act,
      .turn,
      .way,
      .none {
        display: none;
      }
      .class {
        max-width: none;
        padding: 0;
      }
      .scroll {
        overflow: visible;
        border: 0;
      }
      button {
        border: 0;
        background: none;
      }
      tr {
        break-inside: avoid;
      }
    }
  `;
}

customElements.define('sp-class', ClassView);
