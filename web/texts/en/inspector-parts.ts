import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  /** Pinned records, side by side. */
  compare: {
    label: 'Pinned records',
    pinAnother: (seq: number): string => `Record ${seq} is pinned. Pin another to compare them.`,
    differ: (left: number, right: number, members: number): string =>
      `Record ${left} and record ${right} differ in ${plural(members, { one: '# member', other: '# members' })}`,
    same: (members: number): string => `${plural(members, { one: '# member is', other: '# members are' })} the same`,
    inRecord: (seq: number): string => `in record ${seq}`,
    none: 'none',
  },

  /** What the proposer was shown before a step. */
  context: {
    otherTab: 'The context is known only for runs made in this tab. For this run, Result shows each reply.',
    none: 'No proposal has been asked for yet.',
    messages: (messages: number, step: number): string =>
      `${plural(messages, { one: '# message', other: '# messages' })} before step ${step}.`,
    newOnes: (messages: number): string => `${number(messages)} new since the step before.`,
    new: 'new',
  },

  /** The content that a step was given. */
  slices: {
    noStep: 'No step has ended here.',
    none: 'No content was given in this step.',
    charged: (bytes: number, sections: number, expansions: number): string =>
      `Charged: ${byteCount(bytes)} of ${plural(sections, { one: '# section', other: '# sections' })}, ${plural(expansions, { one: '# expansion', other: '# expansions' })}.`,
    hash: (hash: TemplateResult): TemplateResult => html`SHA-256 ${hash}`,
    bytesAndHash: (bytes: number, hash: TemplateResult): TemplateResult => html`${byteCount(bytes)}, SHA-256 ${hash}`,
    gave: (name: string): string => `What ${name} gave`,
    erased: 'The text is not in this run: left out or erased. Its hash still is.',
  },
};

export type InspectorPartsTexts = typeof en;
export const inspectorParts: Area<InspectorPartsTexts> = area('inspector-parts', en);
