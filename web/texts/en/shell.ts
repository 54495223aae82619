import { html, type TemplateResult } from 'lit';
import { byteSize } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

const en = {
  views: {
    learn: 'Learn',
    run: 'Run',
    capabilities: 'Capabilities',
    corpus: 'Corpus',
    audit: 'Audit',
    about: 'About',
  },
  /** Parts of the capabilities, as the title of the page names them. */
  parts: { catalogue: 'catalogue', allowed: 'what is allowed', workshop: 'workshop', breakout: 'Break out' },
  viewsLabel: 'Views',
  viewMenu: 'View: ',
  unknownView: (name: string, views: readonly string[]): string =>
    `This page has no view called “${name}”. Choose ${views.join(', ')} in the header.`,
  filesNotOffered: (reason: string): string => `Runs cannot read your files: ${reason}`,
  scenarioNotOpened: (reason: string): string => `The scenario was not opened: ${reason}`,
  noScenario: (name: string): string => `no scenario is called “${name}”.`,
  nameTaken: (name: string): string =>
    `another capability is called ${name}. Remove it under Capabilities, and open it again.`,
  /** A capability of the person that this browser did not store, and stored ones that did not load. */
  ownNotStored: (name: string, why: string): string =>
    `The change of ${name} could not be stored in this browser: it lasts until the page is closed. ${why}`,
  ownNotLoaded: (names: readonly string[]): string =>
    `Stored capabilities of yours that could not be loaded, and stay stored: ${names.join(', ')}.`,
  runNotHere: 'This run is not on this device. Nothing was opened.',
  themes: { auto: 'auto', light: 'light', dark: 'dark' },
  theme: (theme: string): string => `Theme: ${theme}`,
  changeTheme: (theme: string): string => `Theme: ${theme}. Change`,
  language: 'Language',
  languageIs: (name: string): string => `Language: ${name}`,
  changeLanguage: (code: string, name: string): string => `${code}, language: ${name}. Change`,
  languageMissing: (name: string): string =>
    `The texts in ${name} could not be loaded, so the language stays as it is. Choose it again online, or reload the page.`,
  columns: { setup: 'Propose', timeline: 'Ledger', inspector: 'Record' },
  columnsLabel: 'Columns',
  setup: 'Setup',
  ledger: 'Ledger',
  record: 'Record',
  setupWidth: 'Width of the setup',
  recordWidth: 'Width of the record',
  widthShare: (percent: number): string => `${percent} % of the page`,
  gates: 'Gates',
  gatesOfStep: (step: number): string => `Gates of step ${step}`,
  tenGates: 'Every request passes ten gates before anything happens',
  atRecord: (seq: number): string => `(at record ${seq})`,
  step: (step: number): string => `Step ${step}`,
  older: 'This page is older than its site, and lacks some of the files. A reload loses no run.',
  dialogNotLoaded: (why: string): string => `The dialog could not be loaded: ${why}`,

  status: {
    run: 'Run: ',
    dismiss: 'Dismiss',
    cancel: 'Cancel',
    cancelTitle: 'Ends the request to the model. The run rests, and Run asks again.',
    keys: (): TemplateResult => html`<kbd>?</kbd> keys`,
    help: 'Help',
    docs: 'Docs',
    saved: (file: string, bytes: number): string => `Saved ${file}, ${byteSize(bytes)}, with your downloads.`,
  },

  place: {
    class: 'My class',
    lessons: 'The lessons.',
    lesson: (lesson: number, title: string | undefined): string =>
      `Lesson ${lesson}${title === undefined ? '' : `: ${title}`}`,
    noFile: 'Audit: no file is open.',
    file: (name: string): string => `Audit: ${name}.`,
    run: (what: string, id: string, status: string): string => `${what}, run ${id}: ${status}`,
  },

  notifications: {
    denied: 'The browser denies this page notifications. Its settings for this page change that.',
    unanswered: 'Nothing was chosen, so no notification is shown. Choose the command again to be asked.',
    absent: 'This browser has no notifications for this page.',
    title: 'A question waits for you',
    call: (name: string): string => `${name} asks.`,
    /** A question whose call is not named. */
    other: 'Open the page and read it.',
  },

  commands: {
    label: 'Commands',
    field: 'Command',
    placeholder: 'What would you like to do?',
    none: 'No command has this name.',
    script: 'The script proposes',
    you: 'You propose',
    model: 'A model proposes',
    newRun: 'New run',
    endRun: 'End this run…',
    copyCode: 'Copy as code: Node, a page',
    embed: 'Embed this: a page with the element',
    gallery: 'Start from a scenario: mail, calendar, shop, sheet, wiki, library',
    guide: 'Show the first minute again',
    storage: 'What is kept on this device: archive, erase, delete, back up',
    notify: 'Notifications: tell me of a question while this page is hidden',
    projectorOn: 'Projector mode: larger text',
    projectorOff: 'Projector mode off',
    server: 'Change the model server',
    compare: 'Compare with another run',
    readRun: 'Read an exported run',
    workshop: 'Workshop: write a capability of your own',
    breakout: 'Break out: try to leave the sandbox',
    first: 'To the first record',
    last: 'To the last record',
    goTo: (view: string): string => `Go to ${view}`,
    step: 'Step',
    run: 'Run',
    nextRecord: 'Next record',
    previousRecord: 'Previous record',
    nextProblem: 'Next problem',
    previousProblem: 'Previous problem',
    nextSide: 'Next tab of the record',
    previousSide: 'Previous tab of the record',
    pin: 'Pin the record',
    inspector: 'Into the inspector',
    question: 'To the question',
    filter: 'Filter',
    export: 'Export or send this run',
    all: 'All commands',
    help: 'This help',
  },

  /** Names of keys, where keyboards of this language have others. */
  keys: { Control: 'Ctrl', Enter: 'Enter', Escape: 'Esc' },

  trust: {
    title: 'What this page can reach',
    kernel: 'Kernel',
    thisPage: 'This page',
    storage: 'Storage',
    offline: 'Offline',
    starting: { short: 'Kernel starting', long: 'The kernel is being started.' },
    isolation: {
      locked: {
        short: 'Kernel locked',
        long: 'The kernel and its sandboxes have no network. The browser enforces it, and a test at each start confirmed it.',
      },
      development: {
        short: 'Development',
        long: 'Development server: the kernel may load modules from this server. The built page locks it.',
      },
      unlocked: {
        short: 'Kernel unlocked',
        long: 'The kernel or its sandbox can reach the network here: its file was served without its policy header. Add the header, or allow the service worker.',
      },
      node: { short: 'Node', long: 'This runtime lives in Node, where no browser locks it.' },
    },
    memoryOnly: '· memory only',
    elsewhere: (requests: number): string =>
      `· ${plural(requests, { one: '# request elsewhere', other: '# requests elsewhere' })}`,
    /** Ways out that the kernel and its sandbox tried at their start, by the name of the attempt. */
    probes: {
      fetch: 'requests (fetch)',
      eval: 'code made of text (eval)',
      import: 'code from elsewhere (import)',
      eventsource: 'streams (EventSource)',
      'navigator.serviceWorker': 'service workers (navigator.serviceWorker)',
      'navigator.storage': 'stored files (navigator.storage)',
    },
    blocked: 'blocked',
    notBlocked: 'not blocked',
    traffic: (away: number, own: number): string =>
      `${plural(away, { one: '# request', other: '# requests' })} to anywhere else since it was ready, and ${plural(own, { one: '# file', other: '# files' })} of its own, as they were first needed`,
    test: 'Test it: try to send a request',
    trying: 'Trying…',
    fetchAttempt: 'fetch from this page',
    sent: 'the request was sent',
    noPolicy: 'failed, but no policy stopped it',
    enforced: (directive: string): string => `the browser enforced ${directive}`,
    kept: 'What is kept…',
    files: {
      none: 'This browser keeps no files for this page: without the server it cannot be opened again.',
      preparing: 'Storing the page’s files …',
      ready: 'All files of this page are kept in this browser. It works without the server.',
      update: 'A new version is here. It is used when every tab of this page has been closed, or now.',
      others: 'A new version is here. Close the other tabs of this page first.',
    },
    updateWaits: 'A new version is here. It waits until this run has ended.',
    useUpdate: 'Use the new version',
  },
};

export type ShellTexts = typeof en;
export const shell: Area<ShellTexts> = area('shell', en);
