import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  title: 'Compare two runs',
  close: 'Close',
  other: 'Another run of this device',
  none: 'None is on this device',
  choose: 'Choose a run',
  file: 'A file…',
  hint: 'The open run is compared with the run that you choose. Ids, random numbers and times are left out.',
  showEqual: 'Show equal steps too',
  differences: 'Differences',
  openRun: 'The open run',
  theRun: 'The run',
  more: (next: number, rest: number): string =>
    `Show ${number(next)} more of ${plural(rest, { one: '# step', other: '# steps' })}`,
  noRun: 'No run is open.',
  comparing: 'Comparing…',
  cancel: 'Cancel',
  cancelled: 'Cancelled.',
  same: (steps: number): string => `The runs are the same over ${plural(steps, { one: '# step', other: '# steps' })}.`,
  differ: (differing: number, steps: number): string =>
    `${number(differing)} of ${plural(steps, { one: '# step', other: '# steps' })} differ.`,
  /** Follows the number of differing steps. */
  differingMembers: (members: number): string =>
    ` ${plural(members, { one: '# member', other: '# members' })} of the run itself.`,
  /** Before the reason. */
  failed: (name: string): string => `${name} cannot be compared: `,
  tooLarge: (bytes: number): string => `it has ${byteCount(bytes)}, the limit is 64 MB.`,
  noRecord: 'it holds no record of a run.',
  noStep: 'no such step',
  noValue: 'none',
  /** Before the hash of a text that the file of this side lacks. */
  leftOut: 'Not in this run: left out or erased.',
  characters: (characters: number): string => plural(characters, { one: '# character', other: '# characters' }),
};

export type CompareTexts = typeof en;
export const compare: Area<CompareTexts> = area('compare', en);
