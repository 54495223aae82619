import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

/** A piece of a sentence that the view draws: a name, a hash, a message of the kernel. */
type Piece = TemplateResult | string | readonly TemplateResult[];

const en = {
  draft: 'Draft',
  problemsFirst: 'The draft has problems. Solve them first.',

  bar: {
    startFrom: 'Start from',
    startFromOption: 'Start from…',
    greeting: 'A new greeting',
    revert: 'Revert',
    bringBack: (name: Piece): TemplateResult => html`Bring back ${name}`,
    share: 'Share',
    save: 'Save',
    run: 'Run it',
    add: 'Add and grant',
    rename: (version: Piece): TemplateResult => html`Call it ${version}`,
    noHash: 'No hash yet: correct the draft first.',
    /** With the hash before, if the draft was changed. */
    hash: (hash: TemplateResult, before: TemplateResult | undefined): TemplateResult =>
      html`Hash ${hash}${before === undefined ? '' : html`, was ${before}`}, over the whole definition: a grant for this hash covers no other definition`,
    problems: (problems: number): string => plural(problems, { one: 'one problem', other: '# problems' }),
    loaded: 'loads in the sandbox',
    notLoaded: 'not loaded yet',
    notRead: 'not read',
    saveProblems: 'Solve the problems first: a file holds a whole definition.',
  },

  fields: {
    name: 'Name',
    version: 'Version',
    description: 'What it does, for the model',
    effect: 'Effect',
    /** What a capability of each effect does. */
    effects: {
      pure: 'only computes',
      read: 'reads, and changes nothing',
      write: 'changes data',
      egress: 'sends data away',
    },
    problems: 'Problems',
    source: 'Source',
    sourceIs: 'An ES module; it runs in the sandbox, never in this page.',
    args: 'Arguments',
    argsAre: 'JSON Schema of what it takes.',
    result: 'Result',
    resultIs: 'JSON Schema of what it gives; empty for any JSON.',
    place: (field: string, line: number, column: number): string => `${field}, line ${line}, column ${column}`,
    noObject: 'A schema is an object. Write { "type": … }.',
    powers: 'Powers',
    noPowers: 'none: it sees only its arguments',
    limits: 'Limits',
    defaults: 'the defaults',
    ownLimits: (limits: number): string => `${number(limits)} of its own`,
    limitNames: {
      fuel: 'Fuel, in operations',
      memoryBytes: 'Memory, in bytes',
      stackBytes: 'Stack, in bytes',
      deadlineMs: 'Deadline, in ms',
      jobs: 'Promise jobs',
      powerCalls: 'Power calls',
      bytesIn: 'Bytes in',
      bytesOut: 'Bytes out',
      consoleBytes: 'Console, in bytes',
    },
  },

  tryout: {
    title: 'Try it',
    modes: { args: 'Arguments', script: 'Script' },
    modesLabel: 'Try with',
    stop: 'Stop',
    running: 'Running in the sandbox…',
    try: 'Try',
    where: 'in a lab of its own, through every gate',
    args: 'Arguments to try',
    proposals: 'Proposals to try',
    scriptIs: 'Whole proposals, byte for byte; a line of three dashes stands between two.',
    answered: 'It answered.',
    result: 'Result',
    answer: 'Answer',
    characters: (characters: number): string => charactersText(characters),
    gates: 'Gates of this call',
    bytes: 'The proposal and the reply to the model',
    proposal: 'Proposal',
    reply: 'Reply to the model',
    notTried: 'Not tried: the draft has problems. They are listed beside its source.',
    /** For the author of a capability, by the code of its failure. */
    advice: {
      capability_threw: 'Correct the source, or try other arguments.',
      result_schema: 'Correct the source, or the schema of its result.',
      result_not_json: 'Have the source return JSON: no function, no undefined, no cycle.',
      arguments_schema: 'Try other arguments, or change the schema of the arguments.',
      fuel_exhausted: 'Have the source do less work in one call, or raise the limit.',
      hang_killed: 'Look for a loop that does not end.',
      exceeded: 'Have the source need less in one call, or raise the limit.',
    },
    recorded: 'Recorded. Nothing was executed.',
    /** Without a step, the run itself was stopped. */
    stopped: (code: string, step: string | undefined, why: Piece): TemplateResult =>
      html`<span class="mono">${code}</span> at ${step ?? 'the end'}. ${why}`,
  },

  /** The dialog that makes a link. */
  share: {
    title: 'Share this capability',
    problem: 'It has a problem that must be solved first.',
    copy: 'Copy the link',
    close: 'Close',
    copied: 'Copied.',
    link: 'The link',
    /** The length of a link, and where it fits. */
    fits: {
      chat: (characters: number): string => `${charactersText(characters)}: fits a chat message.`,
      most: (characters: number): string => `${charactersText(characters)}: fits most places.`,
      tooLong: (characters: number): string =>
        `${charactersText(characters)}: too long for most places: save it as a file.`,
    },
    what: 'The capability and its script are in the part after the #, which browsers never send to a server. It stays in the history of browsers that open it. No keys, grants or runs are in it, and its reader sees all of it before any code can run.',
  },

  /** A link of a stranger, before its content is used. */
  review: {
    reading: 'Reading the link…',
    title: 'A shared link',
    leave: 'Go on without it',
    shared: (name: Piece): TemplateResult => html`Shared with you: <span class="mono">${name}</span>`,
    nothingRun:
      'No code of this link has been loaded or run. If you open it as a draft, a sandbox loads the source to check it. It runs only when you press Try.',
    load: 'Load as a draft',
    discard: 'Discard',
    size: (characters: number, bytes: number): string =>
      `${charactersText(characters)} in the link, ${byteCount(bytes)} unfolded.`,
    description: 'What it says it does',
    source: (bytes: number): TemplateResult =>
      html`Source <span class="soft">· ${byteCount(bytes)}, runs in the sandbox only</span>`,
    sourceLabel: 'Source',
    args: 'Arguments',
    argsLabel: 'Schema of the arguments',
    result: 'Result',
    resultLabel: 'Schema of the result',
    script: (proposals: number): TemplateResult =>
      html`Script <span class="soft">· ${plural(proposals, { one: '# proposal', other: '# proposals' })}</span>`,
    proposal: (nth: number): string => `Proposal ${nth}`,
    version: 'Version',
    effect: 'Effect',
    powers: 'Powers',
    limits: 'Limits',
    grants: 'Grants',
    noGrants: 'none: a link cannot carry any',
    sameName: 'Same name',
    sameNameIs:
      'This page has a capability of this name. They are two different capabilities: a grant for one never covers the other.',
    hash: 'Hash',
  },

  /** Why a link was refused. */
  refused: {
    sentence: (reason: string): string =>
      `This link cannot be opened: ${reason}. Nothing was loaded, and nothing was run.`,
    content: (why: string): string => `what is inside is refused. ${why}`,
    capability: (why: string): string => `its capability is refused. ${why}`,
    schema: (why: string): string => `one of its schemas is refused. ${why}`,
    noObject: 'what is inside is no object',
    unknown: (name: string): string => `it carries something unknown: ${name}`,
    noCapability: 'it carries no capability',
    noScript: 'its script is not a list of texts',
    longScript: (proposals: number, max: number): string =>
      `its script has ${number(proposals)} proposals, the limit is ${number(max)}`,
  },
};

function charactersText(characters: number): string {
  return plural(characters, { one: '# character', other: '# characters' });
}

export type WorkshopTexts = typeof en;
export const workshop: Area<WorkshopTexts> = area('workshop', en);
