/** A whole number that a long test is called with. */
export interface NumberOption {
  readonly help: string;
  readonly min: number;
  readonly max: number;
  /** Absent: a random number is drawn. */
  readonly default?: number;
}

/** Names that a long test accepts as a list, which may be empty. */
export interface NamesOption {
  readonly help: string;
  readonly names: readonly string[];
  /** Meaning of an empty list, in words. Absent: all names. */
  readonly default?: string;
}

/** A word that a long test is called with, such as the path of a file. */
interface TextOption {
  readonly help: string;
  /** The word in the usage, such as `FILE`. */
  readonly value: string;
}

/** An option without a value. */
interface FlagOption {
  readonly help: string;
}

/** Members of the last line besides `test`, `ok` and `seconds`. */
export type Members = Readonly<Record<string, number | string>>;

/** Arguments of a long test. */
export interface Call {
  readonly numbers: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** True for an option that was given. */
  readonly flags: Readonly<Record<string, boolean>>;
}

/** The outside of a long test while it runs. */
export interface Work extends Call {
  /** Aborts when the test is interrupted: the test then ends as soon as it can and removes its files. */
  readonly signal: AbortSignal;
  /** Keeps the members of the last line, as they are by now. */
  report(members: Members): void;
  /** Tells how far the test is. */
  progress(done: number, total: number, note?: string): void;
  /** Prints a text for people. */
  say(text: string): void;
}

/** A long test as a part of `npm run test:long`. */
export interface LongTest {
  readonly name: string;
  /** How a person starts it, with the `--` before its options. Absent: `npm run test:long -- NAME`. */
  readonly command?: string;
  /** A single line of text. */
  readonly summary: string;
  readonly numbers: Readonly<Record<string, NumberOption>>;
  readonly names: Readonly<Record<string, NamesOption>>;
  readonly texts?: Readonly<Record<string, TextOption>>;
  readonly flags?: Readonly<Record<string, FlagOption>>;
  /** Which words without a dash may stand for which options. */
  readonly words?: {
    readonly usage: string;
    /** The option that a word belongs to; undefined refuses the word. */
    readonly optionOf: (word: string) => string | undefined;
  };
  /** Duration of the test on two cores. */
  readonly time: string;
  /** Meaning of the members of the last line. */
  readonly members: Readonly<Record<string, string>>;
  /** Resolves to whether the test passed. */
  readonly run: (work: Work) => Promise<boolean>;
}

/** The outside of a command, so that a test can drive it. */
export interface Terminal {
  /** True for a person at a terminal: progress then stays on a single line. */
  readonly isWatched: boolean;
  print(text: string): void;
  complain(text: string): void;
  /** Calls back for each interruption. Returns the way to stop that. */
  onInterrupt(heard: () => void): () => void;
}
