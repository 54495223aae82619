import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

const en = {
  motto: 'The model proposes, the gates decide, the sandbox acts, the ledger proves.',
  lead: 'A sally port is the double gate of a fortress: its two doors are never open at once. Here the first door checks that a proposal is valid, the second that it is permitted. Only then does a call run, in a sandbox with no way out, and every proposal ends in a receipt.',
  tenGates: 'Ten gates',
  documentation: 'Documentation',
  documentationIs: (): TemplateResult =>
    html`<a href="docs/index.html">Tutorials, how-to, reference and reasons</a>, kept in this browser with the page.`,
  selftest: 'Self-test',
  selftestIs: (): TemplateResult => html`<a href="selftest.html">What this device does</a>, tried by a page of its own`,
  thisPage: 'This page',
  version: 'Version',
  dialects: 'Dialects',
  specifications: 'Specifications',
  specificationsAre: (): TemplateResult =>
    html`<a href="docs/conformance.html">Three of them, clause by clause</a>, with the tests for each`,
  kernel: 'Kernel',
  policy: 'Policy',
  grants: (grants: number, modes: { readonly allow: number; readonly ask: number; readonly deny: number }): string =>
    `${plural(grants, { one: '# grant', other: '# grants' })}: ${modes.allow} allow, ${modes.ask} ask${modes.deny === 0 ? '' : `, ${modes.deny} deny`}. Everything else is denied.`,
  storage: 'Storage',
  licence: 'Licence',
  keep: 'What is kept on this device, and deleting it…',
  codes: 'Every code a refusal can have',
  /** Where a ledger is kept, by the kind of its store; a program may bring a store of another kind. */
  stores: { indexeddb: 'this browser (IndexedDB)', directory: 'a directory', memory: 'memory only' },
  codesLabel: 'Codes',
  code: 'code',
  class: 'class',
  remedy: 'what to do',
  /** Each class of codes: in English it is its own word. */
  classes: {
    invalid_json: 'invalid_json',
    malformed_structure: 'malformed_structure',
    protocol_ambiguity: 'protocol_ambiguity',
    unknown_capability: 'unknown_capability',
    invalid_arguments: 'invalid_arguments',
    authorization: 'authorization',
    budget: 'budget',
    resolution: 'resolution',
    execution: 'execution',
    output: 'output',
    storage: 'storage',
    run: 'run',
    definition: 'definition',
  },
};

export type AboutTexts = typeof en;
export const about: Area<AboutTexts> = area('about', en);
