import { html, type TemplateResult } from 'lit';
import type { Rate } from '../../../core/index.ts';
import { elapsed } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { dateSecond, dateTime, plural } from '../intl.ts';

const en = {
  parts: { catalogue: 'Catalogue', allowed: 'Allowed', workshop: 'Workshop', breakout: 'Break out' },
  partsLabel: 'Parts',

  catalogue: {
    asking: 'Asking the kernel…',
    none: 'No capability is registered. Every call is refused.',
    label: 'Capabilities',
    filter: 'Filter by name or description',
    noneFits: 'No capability fits the filter.',
    groups: {
      own: 'Yours',
      tools: 'Tools of the program',
      home: 'The bakery’s',
      content: 'Operations of a message',
    },
    disabled: 'disabled',
    noGrant: 'no grant',
    alike: (names: readonly string[]): string =>
      `Its name reads like ${names.join(' and ')}. They are different capabilities, each with grants of its own.`,
    propose: 'Propose it in a run',
    copy: 'Open a copy in the workshop',
    disable: 'Disable',
    enable: 'Enable',
    remove: 'Remove…',
    replaced: (version: unknown, grants: number): TemplateResult =>
      html`It took the place of version <span class="mono">${version}</span>, with ${plural(grants, { one: '# grant', other: '# grants' })}.`,
    bringBack: 'Bring it back',
    removeNow: 'Remove it and its grants',
    effect: 'Effect',
    enabled: 'Enabled',
    isEnabled: 'yes, for every run that is started from now on',
    isDisabled: 'no: a run that is started now refuses it',
    hash: 'Hash',
    hashOverSource: 'over the whole definition, source and schemas: a grant for one hash covers no other',
    hashOverOrigin: 'over the whole definition, origin and schemas: a grant for one hash covers no other',
    powers: (names: readonly string[]): string => `Powers: ${names.join(', ')}`,
    arguments: 'Arguments',
    argumentsSchema: 'Schema of the arguments',
    result: 'Result',
    resultSchema: 'Schema of the result',
    code: 'Code',
    codeOfProgram: 'The program carries this out, outside the sandbox',
    origin: 'Origin',
    program: 'the program itself',
    originIs: 'the place that its arguments go to',
    lookalike: 'Some letters here may not be what they look like.',
    source: 'Source',
    sourceIs: (): TemplateResult => html`Source <span class="soft">· runs in the sandbox, never in this page</span>`,
  },

  /** Everything that is permitted now, and why. */
  allowed: {
    title: 'What have I allowed?',
    what: 'Everything that is permitted now, and why. What you take back is refused at once, in runs under way too.',
    reading: 'Reading the decisions of this device…',
    /** Before the reason. */
    failed: 'The list could not be read: ',
    retry: 'Try again',
    none: 'Nothing is permitted. Every call is denied.',
    noUses: 'No run has made a decision yet, so there are no uses to count.',
    since: (ms: number, isCut: boolean): string =>
      `Uses are counted since ${dateTime(ms)}${isCut ? ', over the newest 100,000 decisions' : ''}.`,
    unusedOf: (rows: number): string =>
      plural(rows, {
        one: '# permission was not used for 30 days.',
        other: '# permissions were not used for 30 days.',
      }),
    unused: 'unused for 30 days',
    label: 'Permissions',
    by: {
      program: 'Given by this page, or by you on it',
      configuration: 'A rule of the configuration',
      always: 'You said Always',
      answer: 'Your answer, until its run ends',
      watch: 'A watch, where no other grant speaks',
    },
    question: (run: string, step: number | undefined): string =>
      step === undefined ? `run ${run}` : `the question at step ${step} of run ${run}`,
    never: 'Never used.',
    used: (uses: number, runs: number, last: number): string =>
      `Used ${plural(uses, { one: 'once', other: '# times' })} in ${plural(runs, { one: 'one run', other: '# runs' })}, last on ${dateTime(last)}.`,
    more: (names: number): string => `and ${names} more`,
    details: 'Details',
    runs: (runs: number): string => plural(runs, { one: 'The run that used it', other: 'The # runs that used it' }),
    openRun: (run: string): string => `Open run ${run}`,
    newest: (runs: number): string => `the newest ${runs}`,
    takeBack: 'Take back',
    takenBack: 'Taken back. Calls are refused from now on.',
    giveAgain: (name: string): string => `Give ${name} its grant again`,
    givenAgain: 'Given again. Runs that start from now on have it.',
    changed: 'The capability has another definition by now, and its grant covered the one before.',
    /** Before the reason. */
    notDone: 'Not done: ',
    sources: {
      title: 'Sources that were handed held values',
      what: 'A source may give back what it was handed. In every run its results have at least these labels, until you clear it.',
      store: 'A store: each call that can reach it is held.',
      clear: 'Clear…',
      clearNow: 'Clear it for good',
      cleared: 'Cleared. Runs from now on know nothing of what it was handed; the ledger records it.',
    },
  },

  grants: {
    title: (): TemplateResult =>
      html`Grants <span class="soft">· for runs that start from now on; revoked at once</span>`,
    none: (name: string): TemplateResult =>
      html`None. Every call of <span class="mono">${name}</span> is denied, even if it is valid.`,
    first: 'Grant it',
    another: 'Another grant',
    /** Each term of a grant: its field in the form, and its words in the list. */
    terms: {
      uses: {
        label: 'Calls in a run, at most',
        words: (calls: number): string => `${plural(calls, { one: '# call', other: '# calls' })} in a run`,
      },
      expires: { label: 'Until', words: (ms: number): string => `until ${dateSecond(ms)}` },
      rate: {
        label: 'Calls in a while, at most',
        seconds: 'in this many seconds',
        half: 'a rate needs both numbers, calls and seconds.',
        words: ({ calls, windowMs }: Rate): string =>
          `${plural(calls, { one: '# call', other: '# calls' })} in ${elapsed(windowMs)}`,
      },
      where: {
        label: 'Only where the arguments fit this JSON Schema too',
        words: (): string => 'only where the arguments fit',
      },
      signed: {
        label: 'Whose passkeys have to sign a yes',
        none: 'No passkey is kept in this browser. Make one below.',
        of: 'How many of these persons',
        more: 'Passkeys made elsewhere: their records as a JSON list',
        words: (names: readonly string[], of: number): string => `signed by ${of} of ${names.join(', ')}`,
      },
      accepts: {
        label: 'Places of the arguments that take held values without a question',
        words: (places: readonly string[]): string => `held values at ${places.join(', ')}`,
      },
      held: {
        label: 'Hold the results from the model',
        never: 'no',
        choices: { true: 'always', untrusted: 'where they can be untrusted', private: 'where they can be private' },
        words: (held: 'true' | 'untrusted' | 'private'): string =>
          held === 'true' ? 'results are held' : `results that can be ${held} are held`,
      },
      release: {
        label: 'Bits of small results that the model may be told, in all runs',
        none: 'none',
        drops: 'Whoever wrote the value may choose among these answers',
        words: (bits: number, drops: boolean): string =>
          `tells the model up to ${plural(bits, { one: '# bit', other: '# bits' })} of small results${drops ? '; whoever wrote the value may choose among these answers' : ''}`,
      },
    },
    watched: 'part of a watch, where no other grant speaks',
    exactly: 'only for the arguments that were shown',
    answered: (run: string): string => `your answer in run ${run.slice(0, 8)}, until it ends`,
    gone: 'The grant is gone.',
    revoke: 'Revoke',
    whereSchema: 'Schema that the arguments must fit',
    when: 'When a proposal names it',
    noLimit: 'no limit',
    grant: 'Grant',
    modes: { ask: 'Ask me, every time', allow: 'Allow it', deny: 'Deny it, even if another grant allows it' },
    again: 'Grant it again',
    givenAgain: 'Granted again.',
    addedAndGranted: 'Added and granted. A run that starts from now on asks you before each call.',
    given: 'Granted. Runs that start from now on have it.',
    /** Before the reason. */
    notGiven: 'Not granted: ',
    notSchema: 'a schema is an object, as { "properties": … }.',
    notSigners: 'records of passkeys are a list, as [{ "name": "Ada", "key": "…", "origin": "…" }].',
    /** The passkeys that this browser keeps. */
    keys: {
      title: 'Passkeys of this browser',
      what: 'A passkey signs a yes. By itself it permits nothing: a grant names whose yes counts.',
      name: 'Name of the person',
      make: 'Make a passkey…',
      making: 'Your device makes the passkey.',
      made: (name: string): string => `The passkey of ${name} is made. Name it in a grant.`,
      copy: 'Copy its record',
      copied: 'Copied. A policy elsewhere names the passkey with it.',
      remove: 'Remove',
      removeNow: 'Remove it: nobody signs with it here any more',
      removed: (name: string): string =>
        `Removed. This page can no longer sign with it; ${name} deletes the passkey in the settings of the device.`,
      of: (name: string): string => `passkey of ${name}`,
    },
    notPlaces: 'places are an object, as { "/text": ["private"] }.',
  },
};

export type CapabilityTexts = typeof en;
export const capabilities: Area<CapabilityTexts> = area('capabilities', en);
