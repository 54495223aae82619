import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { isWhole, type Report, type VerifyOptions, verifyExport } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';

export type LinkState = 'intact' | 'altered' | 'unproven';

/** The checks of the text as it stands, against the heads as they stand. */
export interface Examination {
  /** The checks of the file alone come at once; decisions and replay come after them. */
  readonly report: ReadonlySignal<Report | undefined>;
  /** Checks that are under way. */
  readonly working: ReadonlySignal<'decisions' | 'replay' | undefined>;
  readonly standings: ReadonlySignal<readonly LinkState[]>;
  /** The decisions wait until a person asks for them: a link brought the text. */
  readonly held: ReadonlySignal<boolean>;
  /** Makes the decisions of a held text. */
  release(): void;
  /** Runs the file again, as it stands. */
  replay(): Promise<void>;
}

export interface ExaminationFacts {
  readonly runtime: Runtime;
  readonly text: ReadonlySignal<string>;
  readonly against: ReadonlySignal<VerifyOptions>;
  readonly held: Signal<boolean>;
  attempt(work: () => Promise<void>): Promise<void>;
}

/** The result of the slow checks, and the report that they add to. */
interface SlowChecks {
  readonly base: Report;
  readonly report: Report;
}

export function openExamination({ runtime, text, against, held, attempt }: ExaminationFacts): Examination {
  const inside = computed(() => (text.value === '' ? undefined : verifyExport(text.value, against.value)));
  const slow = signal<SlowChecks | undefined>(undefined);
  const report = computed(() => (slow.value?.base === inside.value ? slow.value?.report : inside.value));
  const working = signal<'decisions' | 'replay' | undefined>(undefined);

  /** A result for a text or a head that has changed meanwhile is dropped. */
  const examine = async (replay: boolean): Promise<void> => {
    const base = inside.peek();
    if (base === undefined || !isWhole(base)) return;
    working.value = replay ? 'replay' : 'decisions';
    const checked = await runtime.ledger.check(text.peek(), { ...against.peek(), replay });
    if (inside.peek() !== base) return;
    batch(() => {
      slow.value = { base, report: checked };
      working.value = undefined;
    });
  };

  effect(() => {
    working.value = undefined;
    if (inside.value !== undefined && !held.value) void attempt(() => examine(false));
  });

  return {
    report,
    working,
    standings: computed(() => standingsOf(report.value)),
    held,
    release: () => {
      held.value = false;
    },
    replay: () => attempt(() => examine(true)),
  };
}

/** The chain holds up to the first problem; the records from there on cannot be relied on. */
function standingsOf(report: Report | undefined): readonly LinkState[] {
  if (report === undefined) return [];
  const bad = firstProblem(report) ?? Infinity;
  return Array.from({ length: report.records }, (_, seq) =>
    seq < bad ? 'intact' : seq === bad ? 'altered' : 'unproven',
  );
}

/** The first record that a check of the file itself names. */
export function firstProblem(report: Report): number | undefined {
  const places = report.checks.flatMap(({ id, first }) =>
    first === undefined || id === 'anchor' ? [] : [first.run_seq],
  );
  return places.length === 0 ? undefined : Math.min(...places);
}
