/** Codes for content, and for references to it. */
export const CONTENT_CODES = {
  symbol_unknown: {
    class: 'resolution',
    what: (d: { readonly symbol: string }): string => `Nothing is known as ${d.symbol}`,
    todo: 'Use a listed symbol.',
  },
  symbol_twice: {
    class: 'resolution',
    what: (d: { readonly symbol: string }): string => `${d.symbol} stands for something already`,
    todo: 'Choose another name.',
  },
  symbol_ambiguous: {
    class: 'resolution',
    what: (d: { readonly ref: string; readonly matches: number }): string =>
      `${d.ref} could be any of ${d.matches} sections`,
    todo: 'Name the section by its id.',
  },
  target_unknown: {
    class: 'resolution',
    what: (d: { readonly ref: string }): string => `No content is known as ${d.ref}`,
    todo: 'Use a listed one.',
  },
  target_kind: {
    class: 'resolution',
    what: (d: { readonly symbol: string; readonly got: string; readonly expected: string }): string =>
      `${d.symbol} is ${d.got}, and here it takes ${d.expected}`,
    todo: 'Use another symbol or another operation.',
  },
  target_gone: {
    class: 'resolution',
    what: (d: { readonly symbol: string }): string => `What ${d.symbol} stood for is no longer there`,
    todo: 'Define the symbol again.',
  },
  section_unknown: {
    class: 'resolution',
    what: (d: { readonly section_id: string }): string => `No section has the id ${d.section_id}`,
    todo: 'Use a listed section.',
  },
  section_range: {
    class: 'resolution',
    what: (d: { readonly path: string; readonly line_end: number; readonly lines: number }): string =>
      `The section ends at line ${d.line_end}, and ${d.path} has ${d.lines}`,
    todo: 'Index the file again.',
  },
  slice_syntax: {
    class: 'resolution',
    what: (d: { readonly slice: string }): string => `${JSON.stringify(d.slice)} is not a slice`,
    todo: 'Write lines[a:b], chars[a:b], head(n) or tail(n).',
  },
  slice_bounds: {
    class: 'resolution',
    what: (d: { readonly slice: string; readonly unit?: 'lines' | 'characters'; readonly size?: number }): string =>
      `${d.slice} is out of bounds${d.size === undefined ? '' : `: there are ${d.size} ${d.unit}`}`,
    todo: 'Ask for a range that is there and not empty.',
  },
  slice_unbounded: {
    class: 'resolution',
    what: (): string => 'ALL is not a slice: every expansion is bounded',
    todo: 'Ask for the lines you need.',
  },
  content_utf8: {
    class: 'resolution',
    what: (d: { readonly offset: number; readonly path?: string }): string =>
      `${d.path ?? 'The text'} is not UTF-8: byte ${d.offset} is invalid`,
    todo: 'Save the file as UTF-8.',
  },
  content_missing: {
    class: 'resolution',
    what: (d: { readonly path: string }): string => `${d.path} is not there`,
    todo: 'Index the content again.',
  },
  /** The hash that is there now is not told: a READ tells it, with its labels. */
  content_changed: {
    class: 'resolution',
    what: (d: { readonly path: string; readonly expected: string }): string => `${d.path} is not what it was`,
    todo: 'Read it again before you go on.',
  },
  content_unwritten: {
    class: 'resolution',
    what: (d: { readonly asked: number }): string => `Step ${d.asked} has written no content`,
    todo: 'Name a step whose records tell of a change.',
  },
  content_unended: {
    class: 'resolution',
    what: (d: { readonly path: string }): string =>
      `The content has no line feed at its end, and ${d.path} goes on behind it`,
    todo: 'End the content with a line feed.',
  },
  content_neighbour: {
    class: 'resolution',
    what: (d: { readonly path: string; readonly neighbour: 'before' | 'behind' }): string =>
      `The content would change what stands ${d.neighbour} its section in ${d.path}`,
    todo: 'Close what the content opens. Begin it with a heading of the same level, and end it with a blank line. Or write the whole file.',
  },
  path_invalid: {
    class: 'resolution',
    what: (d: { readonly path: string; readonly reason: string }): string =>
      `${JSON.stringify(d.path)} cannot name a file: ${d.reason}`,
    todo: 'Write a relative path with / between its parts.',
  },
  path_twice: {
    class: 'resolution',
    what: (d: { readonly path: string }): string => `${d.path} was given twice`,
    todo: 'Give each file once.',
  },
} as const;
