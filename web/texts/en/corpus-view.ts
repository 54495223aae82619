import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { list, number, plural } from '../intl.ts';

const files = (n: number): string => plural(n, { one: '# file', other: '# files' });
const sections = (n: number): string => plural(n, { one: '# section', other: '# sections' });
const lines = (n: number): string => plural(n, { one: '# line', other: '# lines' });

const en = {
  title: 'Corpus',
  asking: 'Asking the kernel…',
  none: {
    title: 'There is no content yet',
    what: 'Runs read your files only after you add them here. The page cuts files into sections and gives sections names. A model gets bounded slices of them, within budgets, and each slice is recorded with its hash.',
    begin: 'Begin with the bakery’s papers to look around.',
  },
  files: 'Files',
  overview: (allFiles: number, allSections: number, allBytes: number): TemplateResult =>
    html`${files(allFiles)}, ${sections(allSections)}, ${byteCount(allBytes)} <span class="soft">· index</span>`,
  rebuild: 'Rebuild and compare',
  rebuiltSame: 'Rebuilt: the same index, to the byte.',
  rebuiltOther: (hash: unknown, differing: number, names: string): TemplateResult =>
    html`Rebuilt: ${hash}. ${files(differing)} differ: ${names}`,
  clear: 'Remove all files',
  clearAsks: (all: number): string => `Remove ${files(all)}?`,
  keep: 'Keep them',
  remove: 'Remove',

  changes: {
    title: 'Written by the open run',
    step: (step: number): string => `Step ${step}: `,
    takeBack: 'Take back',
    since: 'Changed since.',
  },

  file: {
    size: (allLines: number, allBytes: number): string => `${lines(allLines)}, ${byteCount(allBytes)}`,
    labels: 'private, untrusted',
    labelsHint: 'The page asks you before this text leaves the device. Orders in it are not followed',
    sections: (all: number): string => sections(all),
    text: 'Text',
    lines: 'Lines, counted from 0 as in slices',
    moreLines: (more: number): string => `and ${lines(more)} more.`,
    beforeHeading: 'Before the first heading',
    range: (start: number, end: number): string => `lines ${start}–${end} · `,
  },

  list: {
    search: 'Search the text',
    searches: 'Searching…',
    moreFiles: (more: number): string => `and ${files(more)} more. Search to find them.`,
    unitSections: (sections: number): string => (sections === 1 ? ' section' : ' sections'),
    wholeFile: 'The whole file',
    found: (matches: number): string => `${sections(matches)}, the best first`,
    foundIn: (matches: number, searched: number, all: number): string =>
      `${sections(matches)} in ${number(searched)} of ${files(all)}, the best first.`,
    notFound: 'No section holds these words.',
    notFoundIn: (searched: number, all: number): string =>
      `No section holds these words in ${number(searched)} of ${files(all)}.`,
    /** Files beyond the size that is searched. */
    left: (names: readonly string[], more: number): string =>
      `Not searched, as too large together: ${list(more > 0 ? [...names, `${number(more)} more`] : names)}.`,
  },

  slice: {
    title: 'Try a slice',
    ref: 'Symbol, section or file',
    slice: 'Slice',
    try: 'Try',
    forExample: 'For example',
    refused: 'Refused',
    noText: (code: unknown): TemplateResult =>
      html`The model would get no text. The receipt would carry the code <span class="mono">${code}</span>.`,
    bytes: (used: number, limit: number): TemplateResult =>
      html`<strong class="bytes">${byteCount(used)}</strong> of ${number(limit)}`,
    sections: (used: number, limit: number): TemplateResult =>
      html`<strong>${sections(used)}</strong> of ${number(limit)}`,
    expansion: (limit: number): TemplateResult => html`<strong>1 expansion</strong> of ${number(limit)}`,
    delivers: 'What the slice delivers',
  },

  sources: {
    folder: 'Add a folder',
    files: 'Add files or a zip',
    address: 'From an address',
    demo: 'Add the bakery’s papers',
    patterns: 'Which files',
    selection: 'Take from a folder or a zip',
    selections: {
      notes: 'Markdown and text',
      contract: 'The six folders of the Catalytic contract',
      own: 'Patterns of your own',
    },
    leftOut: (all: number): string => `${files(all)} left out`,
    moreLeft: (more: number): string => `and ${number(more)} more`,
    notes: 'Add the Markdown and text',
    filesField: 'Files',
    folderField: 'Folder',
    drop: 'Or drop them anywhere here. Nothing is uploaded: the files go into this browser’s own storage.',
    patternsField: 'Patterns, each on its own line',
    patternsHint: (): TemplateResult =>
      html`<code>**</code> is zero or more folders, <code>*</code> stays within one; <code>**/*.md</code> is all Markdown. Files that are picked one by one are all taken.`,
    base: 'Base address',
    paths: 'Paths below it, one a line',
    fetch: 'Fetch them',
    reach: 'This page may only reach the server it came from.',
    listing: 'Looking through it…',
    indexing: (done: number, doneBytes: number): string => `${files(done)}, ${byteCount(doneBytes)}`,
    indexingOf: (done: number, all: number, doneBytes: number): string =>
      `${files(done)} of ${number(all)}, ${byteCount(doneBytes)}`,
    storing: (all: number): string => `Storing ${files(all)}…`,
    adding: (name: string): string => `Adding ${name}`,
    left: (seconds: number): string => `about ${number(seconds)} s left`,
    cancel: 'Cancel',
    papers: 'The bakery’s papers',
    undo: 'Undo',
    replace: 'Replace them',
    takeBack: 'Take it back',
    /** Why a file cannot be read; the end of a sentence. */
    outside: 'its address is outside the base address',
    answered: (status: number): string => `the server answered ${status}`,
    unpacksTo: (size: number, limit: number): string => `it unpacks to ${size} bytes, the limit is ${limit}`,
    unpacksToMore: 'it unpacks to more than it says',
  },

  symbols: {
    title: (symbols: number): string => plural(symbols, { one: '# symbol', other: '# symbols' }),
    export: 'Export',
    import: 'Import',
    file: 'Symbols',
    symbol: 'Symbol for the selected place',
    as: 'As',
    slice: 'Slice by default',
    define: 'Define',
    tools: (): TemplateResult =>
      html`Each registered capability has the symbol <span class="mono">@TOOLS/…</span> with its name.`,
    forget: (symbol: string): string => `Forget ${symbol}`,
  },
};

export type CorpusViewTexts = typeof en;
export const corpusView: Area<CorpusViewTexts> = area('corpus-view', en);
