import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

/** A piece of a sentence that the view draws: a name, a hash, a stranger's text. */
type Piece = TemplateResult | string | readonly TemplateResult[];

const en = {
  tabs: {
    explain: 'Explain',
    message: 'Message',
    result: 'Result',
    slices: 'Slices',
    receipt: 'Receipt',
    context: 'Context',
  },
  tabsLabel: 'Tabs of the record',
  welcome: 'Welcome',
  record: (seq: number): string => `Record ${seq}`,
  pin: 'Pin',

  /** The panel before the first record. */
  empty: {
    title: 'Sallyport checks every action that an AI model asks for: is it valid, is it allowed, did it run safely?',
    start:
      (): TemplateResult => html`It keeps a record that you can verify. Press <strong>Step</strong>: the first request goes through ten gates and ends in a receipt.
        Nothing runs before you press it, and nothing leaves this device.`,
    motto: 'The model proposes, the gates decide, the sandbox acts, the ledger proves.',
    step: 'one proposal at a time',
    run: 'all of them, until a person is asked',
    keys: 'every key',
    /** With the button that makes the person the model. */
    beTheModel: (you: TemplateResult): TemplateResult =>
      html`Then be the model: choose ${you} and try to get a proposal past the gates.`,
    you: 'You',
    howARunWorks: 'How a run works',
  },

  /** The outcome of a step. */
  headline: {
    stoppedAt: (gate: string): TemplateResult => html`Stopped at <strong>${gate}</strong>. `,
    /** Behind the gate that stopped a held call. */
    untold: 'The model is not told: its handle is the same for every outcome.',
    waits: 'Valid and permitted, if you say yes. Nothing has run.',
    carriedOut: 'Through every gate: carried out by the program, and recorded.',
    passed: {
      finish: 'The model says it is done.',
      say: 'A message: it is shown as text and runs no code.',
      work: 'Through every gate: all of it was carried out, and recorded.',
      call: 'Through every gate: executed in the sandbox, and recorded.',
    },
  },
  proposal: 'The proposal',
  reply: 'The reply',
  /** By who reads the reply. */
  received: { model: 'The model received', caller: 'The caller received' },
  hadRead: { model: 'What the model had read', caller: 'What the caller had read' },
  labelsTell: {
    model:
      'After the model has read untrusted data, each write needs your approval. After it has read private data too, each sending does.',
    caller:
      'After the caller has read untrusted data, each write needs your approval. After it has read private data too, each sending does.',
  },
  carriedOut: {
    title: 'Who carried it out',
    text: 'The program, outside the sandbox: there is no image and no fuel.',
    sentTo: (origin: Piece): TemplateResult => html` Its arguments went to <bdi class="mono">${origin}</bdi>.`,
  },
  toolsListed: 'The tools of this run are listed under Propose, You, with their arguments.',
  closest: (name: string): TemplateResult =>
    html`The closest name is <span class="mono">${name}</span>. The model is not told.`,
  remedies: {
    grants: 'See its grants',
    definition: 'See its definition',
    code: 'See its code and limits',
    edit: 'Edit and send again',
  },
  fork: {
    button: 'Fork before this step',
    fromStart: 'A new run, and then it is your turn. This one stays as it is.',
    after: (proposals: number): string =>
      `A new run makes the same ${plural(proposals, { one: '# proposal', other: '# proposals' })} again, and then it is your turn. This one stays as it is.`,
    noAuthority: 'It takes no grant, capability or consent from the file.',
    /** Behind a run whose proposals a stranger may have written. */
    stepped: (proposals: number): string =>
      `A new run, which begins untrusted, makes the same ${plural(proposals, { one: '# proposal', other: '# proposals' })} as you step through it. This one stays as it is.`,
  },
  gates: {
    title: 'Gate by gate',
    toolQuestion: 'Does the program answer in time, with a result that its schema permits?',
    seeReceipt: 'See the receipt.',
    at: (pointer: Piece): TemplateResult => html` at <span class="mono">${pointer}</span>`,
    /** The evidence of a passed gate. */
    bytes: (bytes: number): string => `${byteCount(bytes)} of JSON`,
    grant: (hash: string): string => `grant ${hash}… of the policy`,
    byProgram: 'carried out by the program, outside the sandbox',
    fuel: (fuel: number): string => `${plural(fuel, { one: '# operation', other: '# operations' })} of fuel used`,
    record: (seq: number, hash: string): string => `record ${seq}, ${hash}…`,
  },

  /** A record that belongs to no step. */
  run: {
    ended: {
      completed: (steps: number): string => `The run is completed after ${stepsText(steps)}.`,
      aborted: (steps: number): string => `The run is aborted after ${stepsText(steps)}.`,
      limit: (steps: number): string => `The run is limit after ${stepsText(steps)}.`,
      failed: (steps: number): string => `The run is failed after ${stepsText(steps)}.`,
    },
    lastWords: { model: 'The model’s last words', caller: 'The caller’s last words' },
    why: 'Why',
    leftOut: 'Not in this run: left out or erased.',
    offTask: 'The script answered its own task, not this run’s.',
    /** Meaning of an event from outside for a run. */
    happened: {
      paused: 'A person paused the run. It waits until a person continues it.',
      resumed: 'The page had been closed, and the run was resumed. Its finished steps stay, and no call runs twice.',
      interrupted: 'A step was interrupted when the page was closed. Its result is unknown, so it is not run again.',
      model_failed: 'The model gave no proposal. Step asks it once more.',
    },
  },
  settings: {
    title: 'The settings that decide this run, recorded before its first step.',
    dialect: 'Dialect',
    isolation: 'Isolation',
    proposer: 'Proposer',
    hadRead: 'Had read before',
    hadReadNothing: 'no private data and no strangers’ text',
    capabilities: 'Capabilities',
    policy: 'Policy',
    steps: 'Steps at most',
    noLimit: 'no limit',
  },

  /** The exact bytes of a proposal or a reply. */
  message: {
    none: 'No message belongs to this record.',
    noReply: 'Nothing has been replied yet.',
    reading: (bytes: number): string => `Reading ${byteCount(bytes)}…`,
    erased: (hash: TemplateResult): TemplateResult =>
      html`The bytes are not in this run: left out of its file, or erased. Their hash is: ${hash}.`,
    encoded: (bytes: number): string => `${byteCount(bytes)}, UTF-8`,
    notEncoded: (bytes: number): TemplateResult => html`${byteCount(bytes)}, <strong class="bad">not UTF-8</strong>`,
    sha256: 'SHA-256',
    forms: { tree: 'Tree', indented: 'Indented', exact: 'Exact' },
    formsLabel: 'Show',
    cut: (kept: number): string => `Over the size limit: only the first ${byteCount(kept)} were kept.`,
    label: 'The bytes',
  },

  /** The members of a record. */
  fields: {
    tree: 'Tree',
    receipt: (step: number, seq: number): string => `Receipt of step ${step}, record ${seq}`,
    recordOf: (seq: number, kind: Piece): TemplateResult => html`Record ${seq}, ${kind}`,
    none: '(none)',
    empty: '(empty)',
    /** The subject of every hash: a hash without its subject cannot be checked. */
    over: {
      hash: 'over every other member of this record, canonical',
      prev: 'the hash of the record before this one',
      body_hash: 'over the canonical body: the part that a replay makes again',
      sha256: 'over the bytes that lie beside the ledger',
      registry_hash: 'over all capability definitions of the run',
      policy_hash: 'over all grants of the run',
      limits_hash: 'over the limits of the run',
      capability_hash: 'over the whole capability definition, source and schemas',
      definition: 'over the definition that a person has declared the effect of, as its source gives it',
      args_hash: 'over the canonical arguments',
      image_hash: 'over the prepared memory of the sandbox',
      heap_hash: 'over the whole memory of the sandbox when the call had ended',
      result_hash: 'over the canonical result',
      digest: 'over capability, canonical arguments, run, step and nonce',
      content_hash: 'over the text that was delivered',
      run_seq: 'place in this run, from 0',
      at: 'wall clock in ms, never read by a decision',
    },
    /** Members of a receipt whose call the program carried out. */
    overTool: {
      image_hash: 'the hash of the capability itself: the program carried out the call, and there is no image',
      fuel: 'none: no sandbox ran',
    },
  },

  report: {
    verifying: 'Verifying…',
    verifyingLabel: 'Verifying',
    impossible: (why: Piece): TemplateResult => html`It could not be verified: ${why}`,
    verify: 'Verify this run',
    head: 'head',
    audit: 'Open in Audit, and try to falsify it',
  },
};

function stepsText(steps: number): string {
  return plural(steps, { one: '# step', other: '# steps' });
}

export type InspectorTexts = typeof en;
export const inspector: Area<InspectorTexts> = area('inspector', en);
