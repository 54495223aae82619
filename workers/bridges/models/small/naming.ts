import type { Named, Names } from './named.ts';
import type { Turn } from './prompt.ts';

/** A member whose text is still open. */
const OPEN_TEXT = /"(\w+)":"([^"]*)$/;
const OPENED_MEMBER = /"(\w+)":"?$/;

/**
 * Holds the closed choices of a proposal to those that were named: a call converts to pints only where pints were told.
 * Where no value of a choice was named under a name that the table has, all of them are free.
 */
export class Naming {
  /** Values that a call may say, though the task has them under another name. */
  readonly sayable: readonly string[];
  private readonly values: ReadonlyMap<string, readonly string[]>;
  private readonly absent: ReadonlySet<string>;
  private readonly differ: Named['differ'];

  constructor({ values, members, differ }: Named, turns: readonly Turn[]) {
    const told = turns.filter(({ kind }) => kind !== 'call').map(withoutKeys);
    const isNamed = (name: string): boolean => told.some((text) => patternOf(name).test(text));
    this.values = new Map(Object.entries(values).map(([member, names]) => [member, namedOf(names, isNamed)]));
    this.sayable = [...this.values.values()].flat();
    const said = namedOf(members, isNamed);
    this.absent = new Set(Object.keys(members).filter((member) => !said.includes(member)));
    this.differ = differ;
  }

  /** True if the text may go on with this piece. */
  allows(text: string, piece: string): boolean {
    const [, opened = ''] = OPENED_MEMBER.exec(text + piece) ?? [];
    return !this.absent.has(opened) && this.isValue(text, piece);
  }

  private isValue(text: string, piece: string): boolean {
    const [, member = '', begun = ''] = OPEN_TEXT.exec(text) ?? [];
    const named = this.values.get(member);
    if (named === undefined) return true;
    const end = piece.indexOf('"');
    const value = begun + (end === -1 ? piece : piece.slice(0, end));
    const open = named.filter((each) => !this.isTaken(text, member, each));
    return open.some((each) => (end === -1 ? each.startsWith(value) : each === value));
  }

  /** True if the member that must differ has this value. */
  private isTaken(text: string, member: string, value: string): boolean {
    return this.differ.some(([first, second]) => second === member && text.includes(`"${first}":"${value}"`));
  }
}

/** The values that were named; all of them where none was. */
function namedOf(names: Names, isNamed: (name: string) => boolean): readonly string[] {
  const named = Object.keys(names).filter((value) => names[value]?.some(isNamed));
  return named.length === 0 ? Object.keys(names) : named;
}

/** The names of a result's values are not told by anyone. */
function withoutKeys({ kind, text }: Turn): string {
  return kind === 'result' ? text.replaceAll(/\b\w+=/g, ' ') : text;
}

/** A name as a word of its own, in any case; a number may stand at it. */
function patternOf(name: string): RegExp {
  return new RegExp(`(?<![a-z])${name.replaceAll(/[^\w ]/g, '\\$&')}(?![a-z])`, 'i');
}
