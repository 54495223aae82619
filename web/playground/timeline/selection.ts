import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import { isProblem } from '../../records/describe.ts';
import { groupAt, type StepGroup } from '../../records/steps.ts';
import { speech } from '../../texts/area.ts';
import { TABS, type TabName } from '../link.ts';
import { isUntouched } from '../run/run-start.ts';
import type { RunSession } from '../run/session.ts';
import { type Filter, parseFilter, soughtIn } from './filter.ts';
import { type Excerpt, excerptOf } from './record-texts.ts';
import { openMatches, openRunTexts } from './run-texts.ts';

/** The selection: a single record for all panels, a filter that never hides it, and two records pinned side by side. */
export interface Selection {
  readonly seq: Signal<number | undefined>;
  readonly tab: Signal<TabName>;
  /** The sides that records of this run have: slices only where content was given. */
  readonly tabs: ReadonlySignal<readonly TabName[]>;
  readonly filterText: Signal<string>;
  readonly filter: ReadonlySignal<Filter>;
  readonly shown: ReadonlySignal<readonly LedgerRecord[]>;
  /** Number of records that a search has read, while it has not read all; `shown` is of these. */
  readonly reading: ReadonlySignal<number | undefined>;
  /** The place of a searched word in a record, where its line does not show it. */
  excerpt(record: LedgerRecord): Excerpt | undefined;
  readonly record: ReadonlySignal<LedgerRecord | undefined>;
  /** The step of the selected record. It changes with the selection, and when that very step gets a record. */
  readonly group: ReadonlySignal<StepGroup | undefined>;
  readonly pins: Signal<readonly number[]>;
  /** The newest record is selected as it arrives, until a person selects another. */
  readonly follows: Signal<boolean>;
  select(seq: number): void;
  move(by: number): void;
  toProblem(direction: 1 | -1): void;
  turnTab(by: number): void;
  togglePin(): void;
  reset(): void;
}

export function openSelection(
  records: ReadonlySignal<readonly LedgerRecord[]>,
  session: ReadonlySignal<RunSession | undefined>,
): Selection {
  const seq = signal<number | undefined>(undefined);
  const tab = signal<TabName>('explain');
  const filterText = signal('');
  const pins = signal<readonly number[]>([]);
  const follows = signal(true);
  const filter = computed(() => parseFilter(filterText.value));
  const isSought = computed(() => soughtIn(filter.value).length > 0);
  const contents = openRunTexts(session, isSought);
  const matching = openMatches();
  const shown = computed(() => matching(filter.value, records.value, contents.value, speech().language));
  const reading = computed(() => {
    const { read } = contents.value;
    return isSought.value && read < records.value.length ? read : undefined;
  });
  const record = computed(() => records.value.find((each) => each.run_seq === seq.value));

  effect(() => {
    const last = records.value.at(-1);
    // The first screen is the welcome; the setup of a run does not push it away.
    if (last === undefined || isUntouched(records.value)) return;
    if (follows.peek()) seq.value = last.run_seq;
  });

  const tabs = computed(() => TABS.filter((name) => name !== 'slices' || givesContent(records.value)));

  const select = (wanted: number): void =>
    batch(() => {
      follows.value = wanted === records.value.at(-1)?.run_seq;
      seq.value = wanted;
    });

  const among = (list: readonly LedgerRecord[], by: number): void => {
    const from = seq.value ?? -1;
    const at = list.findIndex((each) => each.run_seq >= from);
    // a selected record that is not in the list lies between two that are
    const place = at < 0 ? list.length - 0.5 : list[at]?.run_seq === from ? at : at - 0.5;
    const to = by > 0 ? Math.floor(place + by) : Math.ceil(place + by);
    const next = list[Math.min(Math.max(to, 0), list.length - 1)];
    if (next !== undefined) select(next.run_seq);
  };

  return {
    seq,
    tab,
    tabs,
    filterText,
    filter,
    shown,
    reading,
    excerpt: (each) => {
      const sought = soughtIn(filter.value);
      return sought.length === 0 ? undefined : excerptOf(each, sought, contents.value.texts);
    },
    record,
    group: computed(() => groupAt(session.value?.steps.value ?? [], seq.value)),
    pins,
    follows,
    select,
    move: (by) => among(shown.value, by),
    toProblem: (direction) => {
      const problem = nearest(shown.value.filter(isProblem), seq.value ?? -1, direction);
      if (problem !== undefined) select(problem.run_seq);
    },
    turnTab: (by) => {
      const all = tabs.peek();
      tab.value = all[(all.indexOf(tab.peek()) + by + all.length) % all.length] ?? 'explain';
    },
    togglePin: () => {
      const at = seq.value;
      if (at === undefined) return;
      pins.value = pins.value.includes(at) ? pins.value.filter((pin) => pin !== at) : [...pins.value, at].slice(-2);
    },
    reset: () =>
      batch(() => {
        seq.value = undefined;
        tab.value = 'explain';
        pins.value = [];
        follows.value = true;
      }),
  };
}

/** The next record after (or before) a place in the run, whether or not that place is in the list. */
function nearest(list: readonly LedgerRecord[], seq: number, direction: number): LedgerRecord | undefined {
  return direction > 0 ? list.find((record) => record.run_seq > seq) : list.findLast((record) => record.run_seq < seq);
}

function givesContent(records: readonly LedgerRecord[]): boolean {
  const [first] = records;
  if (first?.kind === 'configuration' && first.body.dialect.startsWith('catalytic')) return true;
  return records.some(({ kind, body }) => kind === 'receipt' && body.receipt.expanded.length > 0);
}
