import { html, type TemplateResult } from 'lit';
import type { Rate } from '../../../core/index.ts';
import { elapsed } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { dateSecond, plural } from '../intl.ts';

const en = {
  parts: { catalogue: 'Catalogue', workshop: 'Workshop', breakout: 'Break out' },
  partsLabel: 'Parts',

  catalogue: {
    asking: 'Asking the kernel…',
    none: 'No capability is registered. Every call is refused.',
    label: 'Capabilities',
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
    given: 'Granted. Runs that start from now on have it.',
    /** Before the reason. */
    notGiven: 'Not granted: ',
    notSchema: 'a schema is an object, as { "properties": … }.',
    notSigners: 'signers are an object, as { "by": [{ "name": "Ada", "key": "…", "origin": "…" }] }.',
    notPlaces: 'places are an object, as { "/text": ["private"] }.',
  },
};

export type CapabilityTexts = typeof en;
export const capabilities: Area<CapabilityTexts> = area('capabilities', en);
