import { html, type TemplateResult } from 'lit';
import {
  CHECK_NAMES,
  type CheckId,
  type CheckPartId,
  PART_NAMES,
  VERDICT_WORDS,
  type VerdictWords,
} from '../../../core/index.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  title: 'Audit',
  falsified: 'falsified copy',
  savePage: 'Save as a page',
  savePageHint: 'A single file with the run and its checks. It needs no network',
  send: 'Send…',
  sendHint: 'A link, a file or a report, after a look at what it discloses',
  import: 'Import…',
  importHint: 'A pasted export or link, or an address',
  saveCheckpoint: 'Save a checkpoint',
  saveCheckpointHint: 'The current head of every run on this device, signed. Keep it outside this device',
  openFile: 'Open a file…',
  predict: 'The stored run is never touched. Predict which check will notice, then try.',
  /** The sentences of verdicts, of every view and of saved pages and reports. */
  verdicts: VERDICT_WORDS as VerdictWords,

  empty: {
    title: 'What happened, and can you rely on it?',
    what: 'Open a run of this device, or drop or paste an exported one anywhere here. Six checks show which of its records are intact, and name the first that is not. The file is read in this page and never leaves the device.',
    noRun: 'No run is on this device yet.',
    make: 'Make one',
    runs: 'Runs on this device',
  },

  checks: {
    title: 'Checks',
    names: CHECK_NAMES as { readonly [C in CheckId]: string },
    /** Parts of a check that can stay out on their own. */
    parts: PART_NAMES as { readonly [P in CheckPartId]: string },
    /** What each check has counted. */
    counted: {
      form: (lines: number): string => plural(lines, { one: '# line', other: '# lines' }),
      hashes: (hashes: number): string => plural(hashes, { one: '# hash', other: '# hashes' }),
      links: (records: number): string => plural(records, { one: '# record', other: '# records' }),
      anchor: (anchors: number): string => plural(anchors, { one: '# anchor', other: '# anchors' }),
      decisions: (decisions: number): string => plural(decisions, { one: '# decision', other: '# decisions' }),
      replay: (records: number): string => plural(records, { one: '# record', other: '# records' }),
    },
    notRun: 'not run',
    /** Why a check was not made. */
    needs: {
      anchor: 'Not run. Needs a head that you noted.',
      decisions: 'Needs records that are intact.',
      replay: 'Needs intact records and matching decisions. Press Run it again.',
    },
    held: 'Not run: a link brought this run. Press Check the decisions.',
    underWay: 'Under way…',
    skipped: (skipped: number, seq: number): string =>
      `In ${plural(skipped, { one: '# place', other: '# places' })}, first at record ${number(seq)}: `,
    recorded: 'recorded',
    again: 'again',
    decide: 'Check the decisions',
    makeChecks: 'Make the checks',
    runAgain: 'Run it again',
    runOnceMore: 'Run it once more',
    anchor: 'Head you noted elsewhere, or open a checkpoint',
    anchorForm: 'count:head, or the head alone',
    noted: 'The head of this file, to keep somewhere else:',
    head: 'Head',
    command: 'Command',
    commandHint: 'The same checks, on a machine that does not trust this page:',
    copy: 'Copy',
    copied: 'Copied.',
  },

  chain: {
    title: 'Chain',
    record: (seq: number, standing: string): string => `Record ${number(seq)}, ${standing}`,
    standings: { intact: 'intact', altered: 'altered', unproven: 'unproven' },
    none: 'No record can be read.',
    whole: (last: number): string => `Records 0 to ${number(last)} fit together.`,
    intact: (last: number): string => `Records 0 to ${number(last)} are intact. `,
    first: (seq: number): string => `Record ${number(seq)} is the first that does not hold.`,
    after: (from: number, last: number): string => ` Records ${number(from)} to ${number(last)} cannot be relied on.`,
    drawn: (from: number, to: number, records: number): string =>
      `Records ${number(from)} to ${number(to)} of ${number(records)} are drawn: 400 around the chosen one.`,
    number: 'Record number',
    go: 'Go',
  },

  happened: {
    title: 'What happened',
    ledger: 'Ledger of the open file',
    record: 'The chosen record',
    task: 'Task',
    noText: 'Not in this file: left out or erased.',
    outcome: 'Outcome',
    noEnd: 'The run has no end in this file.',
    said: 'Last words',
    model: 'Model',
    time: 'Time',
    size: 'Size',
    steps: (steps: number, records: number): string =>
      `${plural(steps, { one: '# step', other: '# steps' })}, ${plural(records, { one: '# record', other: '# records' })}`,
  },

  find: {
    label: 'Find',
    hint: 'words, or how a hash begins',
    seeking: 'Searching…',
    none: 'No record, text or hash of this file has it.',
    places: (places: number): string => plural(places, { one: '# place', other: '# places' }),
    somePlaces: (shown: number, places: number): string => `The first ${number(shown)} of ${number(places)} places`,
    inRecord: (seq: number, kind: string): string => `Record ${number(seq)} (${kind})`,
  },

  /** Work that is under way, and its button. */
  tasks: {
    reading: 'Reading the file…',
    checks: 'Checking form, hashes and links…',
    decisions: 'Making the decisions again…',
    replay: 'Running it again…',
    falsifying: 'Falsifying the copy…',
  },
  cancel: 'Cancel',
  stopped: 'The checks were cancelled.',

  record: {
    title: (seq: number): string => `Record ${number(seq)}`,
    hashes: (stored: string, comes: string): TemplateResult =>
      html`Stored as <span class="mono">${stored}</span>, and comes to <span class="mono">${comes}</span>`,
    difference: (at: number, was: unknown, is: unknown): TemplateResult =>
      html` Byte ${at}: was <span class="mono">${was}</span>, is <span class="mono">${is}</span>`,
    /** In place of the character of a line that is shorter. */
    end: 'the end',
    tree: 'Tree',
  },

  /** Ways to falsify a copy, each with what it does and the check to watch. */
  falsify: {
    title: 'Falsify a copy',
    undo: 'Undo',
    done: (word: string, hint: string): string => `${word}: ${hint}`,
    ways: {
      flipByte: { word: 'Flip a byte', hint: 'Changes a single character of this record.' },
      deleteRecord: { word: 'Delete record', hint: 'Removes this record.' },
      swapRecords: { word: 'Swap two', hint: 'Swaps this record with the next.' },
      cutEnd: {
        word: 'Cut the end',
        hint: 'Removes the last records and corrects the end line. Only a head that was kept shows the change.',
      },
      changeDecision: {
        word: 'Change a decision',
        hint: 'Changes a decision and every hash, so the decision no longer follows from the records before it.',
      },
      changeCost: {
        word: 'Change a cost',
        hint: 'Lowers the recorded cost of a call and computes every hash anew. Only running it again shows the change.',
      },
      rewriteChain: {
        word: 'Rewrite whole chain',
        hint: 'Changes the model’s name and computes every hash anew. Only a head that was kept shows the change.',
      },
    },
  },

  /** Name of a text that was pasted in place of a file. */
  pasted: 'what was pasted',
};

export type AuditViewTexts = typeof en;
export const auditView: Area<AuditViewTexts> = area('audit-view', en);
