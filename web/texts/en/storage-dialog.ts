import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  title: 'Kept on this device',
  close: 'Close',
  stop: 'Stop',
  beginAnew: 'Begin anew',
  keepThis: 'Ask it to keep this',
  runs: (runs: number): string => plural(runs, { one: '# run', other: '# runs' }),
  noRuns: 'No run has made a step yet.',
  runsLabel: 'Runs',
  choose: (run: string): string => `Choose ${run}`,
  chooseAll: (runs: number): string => `Choose all ${number(runs)}`,
  chosen: (chosen: number): string => `${number(chosen)} chosen`,
  openHere: 'open here: end it first',
  look: 'Contents',
  lookAtRun: (date: string): string => `Contents of the run of ${date}`,
  files: {
    title: 'Files and models',
    added: 'Added files',
    amount: (files: number, size: string): string =>
      files === 0 ? 'none' : `${plural(files, { one: '# file', other: '# files' })}, ${size}`,
    model: 'Model',
    smallModel: 'The small model, with the files of this page',
    page: 'All files of this page, for use offline',
    noModel: 'No model is kept here.',
  },
  archive: 'Archive',
  archiveRun: (date: string): string => `Archive the run of ${date}`,
  erase: 'Erase…',
  eraseRun: (date: string): string => `Erase what was said in the run of ${date}`,
  delete: 'Delete…',
  deleteRun: (date: string): string => `Delete the run of ${date}`,
  stored: 'Stored by capabilities',
  values: (values: number): string => plural(values, { one: '# value', other: '# values' }),
  forget: 'Forget…',
  forgetStored: (capability: string): string => `Forget what ${capability} has stored`,
  everything: 'Everything',
  saveBackup: 'Save a backup',
  restoreBackup: 'Restore a backup',
  deleteEverything: 'Delete everything…',
  checkLog: 'Check the whole log',
  checkAgainst: 'Check it against a checkpoint',
  backupIs: 'A backup is one file with every record, byte and row. It is not encrypted.',
  promised: 'The browser has promised not to evict it.',
  mayEvict: 'The browser may evict it.',
  used: (used: string, quota: string): string => ` ${used} of ${quota} are used.`,

  /** The question before data goes; `word` is typed to go on. */
  ask: {
    goes: 'Goes',
    stays: 'Stays',
    archiveFirst: 'Archive it first',
    backUpFirst: 'Save a backup first',
    type: (word: string): TemplateResult => html`Type <strong>${word}</strong> to go on`,
    leave: 'Leave it as it is',
    delete: {
      title: (run: string): string => `Delete the run ${run}?`,
      titleOfMany: (runs: number): string => `Delete ${number(runs)} runs?`,
      goes: (records: number): string =>
        `${plural(records, { one: '# record', other: '# records' })} and every byte they name, and the memory of a call that waited. They go from the database and from the private files. This cannot be undone.`,
      stays:
        'The hashes of its records in the log’s tree, and a record that it was deleted. All other runs still verify, and so does an exported file of this run. What its capabilities stored stays: erase the run first to take it along.',
      word: 'delete',
      act: 'Delete this run',
      actOnMany: (runs: number): string => `Delete ${number(runs)} runs`,
    },
    erase: {
      title: (run: string): string => `Erase what was said in the run ${run}?`,
      titleOfMany: (runs: number): string => `Erase what was said in ${number(runs)} runs?`,
      goes: 'The bytes of task, proposals, arguments, results and replies, and the memory of a call that waited. They go from the database and from the private files. This cannot be undone.',
      stays:
        'Its records and all hashes: form, hashes, links and anchor still verify. Decisions and replay report that their data is missing. A file of this run, if you have one, is still whole.',
      word: 'erase',
      act: 'Erase what was said',
      actOnMany: (runs: number): string => `Erase what was said in ${number(runs)} runs`,
    },
    storedToo: (values: number): string =>
      plural(values, {
        one: 'Also # value that the run was the last to store',
        other: 'Also # values that the run was the last to store',
      }),
    forget: {
      title: (capability: string): string => `Forget what ${capability} has stored?`,
      goes: (values: number): string =>
        `${plural(values, { one: 'Its # value', other: 'All its # values' })}, from the database and from the private files. This cannot be undone.`,
      stays:
        'The marks that it once stored private or foreign data: an empty place must tell nothing. Also a record of how many values were erased. The runs that read or put the values keep their texts: erase them, too.',
      word: 'forget',
      act: 'Forget what it has stored',
    },
    replace: {
      title: (backup: string): string => `Replace everything by ${backup}?`,
      goes: (runs: number): string =>
        `This ledger has other records than the backup, and logs do not merge. All that is on this device goes: ${plural(runs, { one: '# run', other: '# runs' })} and what belongs to them.`,
      stays:
        'The backup, which was verified, takes its place once it is whole beside it; until then you can stop. Save a backup of what is here first, if you may want it.',
      word: 'replace',
      act: 'Replace everything',
    },
    everything: {
      title: 'Delete everything on this device?',
      goes: (runs: number): string =>
        `All ${plural(runs, { one: '# run', other: '# runs' })}, the files you added, and what capabilities have kept. The private files and their witness, and the key that signs checkpoints. Drafts and the progress of lessons. This cannot be undone.`,
      stays:
        'Your exports, backups and other saved files. They still verify, but this device no longer holds their runs.',
      word: 'delete everything',
      act: 'Delete everything',
    },
  },

  /** A task under way, and its result. */
  tasks: {
    under: (task: string): string => `${task}…`,
    asking: 'Asking the browser',
    promised: 'The browser promised to keep it.',
    noPromise: 'The browser makes no promise. It decides by itself, often by how much a page is used.',
    looking: 'Looking at the run',
    holds: (run: string, records: number): string =>
      `Run ${run} holds ${plural(records, { one: '# record', other: '# records' })}.`,
    heldTexts: (texts: string, kept: string, secret: string, values: number): string =>
      `Texts: ${texts}; private texts: ${kept}; secret texts: ${secret}. Stored values of its capabilities: ${number(values)}.`,
    archived: (hash: string): string =>
      `Archived to a file with SHA-256 ${hash}…, which the log has noted. Nothing was taken away.`,
    checking: 'Checking the whole log',
    whole: (records: number): string =>
      `The log is whole: ${plural(records, { one: '# record', other: '# records' })}.`,
    wholeAgainst: (records: number): string =>
      `The log is whole: ${plural(records, { one: '# record', other: '# records' })}, and it is the log of the checkpoint.`,
    notWhole: (problems: string): string => `The log is not whole. ${problems}`,
    altered: (runs: string): string => ` Altered: ${runs}.`,
    backingUp: 'Making a backup',
    backedUp: 'The backup is with your downloads. It is not encrypted: every person who has the file can read it.',
    reading: 'Reading the backup',
    restored: 'Restored: every record was verified. Its runs can be read, and none of them is resumed.',
    replacing: 'Replacing',
    replaced: 'Replaced by the backup.',
    deleting: 'Deleting',
    deletedEverything: 'Everything was deleted. No data of it is left in this browser.',
    removing: 'Taking it away',
    erased: 'Erased. Its records and their hashes stay, and still verify.',
    /** Several runs, all of them or as far as it was stopped. */
    erasedMany: (done: number, all: number): string =>
      `Erased in ${number(done)} of ${number(all)} runs. Their records and hashes stay, and still verify.`,
    deletedMany: (done: number, all: number): string =>
      `Deleted ${number(done)} of ${number(all)} runs. The hashes of their records stay in the log’s tree.`,
    deleted: (hashes: number): string =>
      `Deleted. ${number(hashes)} hashes of it stay in the log’s tree, so that everything else still verifies.`,
    forgotten: 'Forgotten.',
    values: (values: number): string =>
      plural(values, { one: ' # stored value was erased.', other: ' # stored values were erased.' }),
    otherTabs: (tabs: number): string =>
      plural(tabs, {
        one: ' # other tab of this page does not answer, and still holds some of it. It is erased there when that tab goes on. After that tab is closed, it is erased when this page is opened next.',
        other:
          ' # other tabs of this page do not answer, and still hold some of it. It is erased there when these tabs go on. After they are closed, it is erased when this page is opened next.',
      }),
    stopped: 'Stopped. Nothing was changed.',
    failed: (why: string): string => `${why} Nothing was changed.`,
  },
};

export type StorageDialogTexts = typeof en;
export const storageDialog: Area<StorageDialogTexts> = area('storage-dialog', en);
