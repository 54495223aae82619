import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  task: 'Task',
  taskNotHere: 'Not on this device.',
  then: 'Then:',
  otherTask: 'Another task',
  otherScenario: 'Start from another scenario…',
  copyCode: 'Copy as code…',
  embed: 'Embed this…',
  modelIsAsked: 'What the model is asked',
  itKnows: 'This model knows tasks such as these:',
  moreExamples: (examples: number): string => `${number(examples)} more`,
  ask: 'Ask',
  askHint: 'The task begins a run of its own, which asks you where a grant says so.',
  goOnExample: 'And what do we owe the dairy?',
  goOn: 'Go on',
  inNewRun: 'In a new run',
  sameRun: '“Go on” adds the task to this run and its ledger.',
  grants: (grants: number): TemplateResult =>
    html`${plural(grants, { one: '# grant', other: '# grants' })} <span class="soft">· everything else is denied</span>`,
  uses: (uses: number): string => plural(uses, { one: '# use', other: '# uses' }),
  narrowed: 'narrowed',
  changeGrants: 'Change what is granted',
  limits: 'Limits',
  steps: 'Steps',
  refusedInRow: 'Refused in a row',
  otherLimits: 'Other limits',
  stepsMax: 'Steps at most',
  refusedInRowMax: 'Refused in a row at most',
  budgets: (): TemplateResult => html`Budgets <span class="soft">· spent by the last message</span>`,
  symbols: 'Symbols',
  sections: 'Sections',
  bytesRead: 'Bytes read',
  expansions: 'Expansions',
  unlimited: (used: number): string => `${number(used)}, no limit`,
  usedOf: (used: number, limit: number): string => `${number(used)} of ${number(limit)}`,
  full: 'full',
  /** Which results models hear as handles. */
  hold: {
    title: (held: string): string => `Held from models: ${held}`,
    label: 'Hold results from models',
    choices: {
      none: 'nothing',
      untrusted: 'what can be untrusted',
      private: 'what can be private',
      all: 'every result',
    },
    what: 'A model hears a handle in the place of a held result, and can pass it on without reading it. A change opens this page anew, and counts for new runs.',
  },
  modelHasRead: 'What the model has read',
  callerHasRead: 'What the caller has read',
  noLabels: 'No private data and no strangers’ text.',
  /** The guard's action for each label. */
  labels: {
    private: 'Private: it is sent to a model outside this device only with your consent.',
    untrusted: 'Untrusted: strangers wrote it, so each write and each sending asks you, even where a grant allows it.',
  },
  /** Where a model behind a server is. */
  modelAt: (origin: string): string => `at ${origin}`,

  composer: {
    who: 'Who proposes',
    proposers: { script: 'Script', you: 'You', model: 'Model' },
    hints: {
      script: 'A prepared model: the same texts every time.',
      you: 'You are the model. Type exactly what it would send.',
      model: 'A model in this page, on this device, or behind a server.',
    },
    wire: 'Wire form',
    wires: {
      xct: 'One next step, or done.',
      femtoclaw: 'The same steps as a tool call, or a message.',
      catalytic: 'Work orders: windows of named papers, under budgets. The papers are in Corpus.',
    },
    wireFree: 'Choosing starts a new run.',
    wireFixed: 'Cannot be changed during a run.',
    told: (): TemplateResult => html`The script is told. <strong>You</strong> can take over, or start a new run.`,
    next: (nth: number, all: number): string => `Next: ${number(nth)} of ${number(all)}`,
    nextProposal: "The script's next proposal",
    edit: 'Edit and send it yourself',
    offTask: (): TemplateResult =>
      html`<strong>The script does not answer this task.</strong> Its proposals were written for the scenario’s own task, and it makes the same proposals for every task.`,
    beYou: 'Propose yourself',
    askModel: 'Ask a model',
    ownTask: 'The script’s own task',
    yourProposal: 'Your proposal',
    /** The page put a text of its own into the draft. */
    replaced: 'The text that you typed was replaced.',
    undo: 'Undo',
    send: 'Send',
    sends: (control: string, enter: string): TemplateResult => html`<kbd>${control}</kbd> <kbd>${enter}</kbd> sends`,
    /** Why nothing can be sent, and what to do. */
    whyNot: {
      starting: 'Wait until the kernel has started.',
      over: 'This run is over. Start a new one.',
      free: 'No tab has this run. Continue it.',
      elsewhere: 'Another tab has this run. Take it over.',
    },
    /** Why the script proposes nothing, and what to do. */
    noScript: {
      starting: 'Wait until the kernel has started to propose again.',
      over: 'This run is over. Start a new one to propose again.',
      free: 'No tab has this run. Continue it to propose again.',
      elsewhere: 'Another tab has this run. Take it over to propose again.',
    },
    caller: (label: unknown): TemplateResult =>
      html`<strong class="mono">${label}</strong>, the caller of this session. Each of its calls is a proposal that passes every gate.`,
    sessionIsRead: 'A session is read here, verified and exported. A new run takes your proposals.',
  },

  forecast: {
    stopsAtParse: (why: string): string => `Would stop at parse. ${why}`,
    isJson: 'Is JSON.',
    unknownName: (name: string): string => `Is JSON. There is no ${name} here.`,
    closest: (name: string): string => ` The closest name is ${name}.`,
    modes: {
      allow: (name: string): string => `Is JSON, and ${name} is allowed.`,
      ask: (name: string): string => `Is JSON, and ${name} asks you first.`,
      deny: (name: string): string => `Is JSON, and ${name} is denied.`,
      none: (name: string): string => `Is JSON, and ${name} has no grant.`,
    },
  },

  runs: {
    earlier: (runs: number): TemplateResult =>
      html`${plural(runs, { one: '# earlier run', other: '# earlier runs' })} <span class="soft">· on this device</span>`,
    none: 'Runs stay here after you close the page.',
    read: 'Read an exported run',
    compare: 'Compare with another run…',
    keep: 'Archive or delete runs…',
  },

  tools: {
    title: (tools: number): TemplateResult =>
      html`${plural(tools, { one: '# tool', other: '# tools' })} <span class="soft">· with their arguments</span>`,
    use: 'Use',
    useNamed: (name: string): string => `Use ${name}`,
    arguments: 'Arguments',
    schema: (name: string): string => `Schema of the arguments of ${name}`,
    disabled: 'disabled',
    noGrant: 'no grant',
  },
};

export type SetupTexts = typeof en;
export const setup: Area<SetupTexts> = area('setup', en);
