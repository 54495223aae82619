/** A whole number that a long test is called with. */
export interface NumberOption {
  readonly help: string;
  readonly min: number;
  readonly max: number;
  /** Absent: a random number is drawn. */
  readonly default?: number;
}

/** Names of a list that a long test is called with, none or several. */
export interface NamesOption {
  readonly help: string;
  readonly names: readonly string[];
  /** What none stands for, in words. Absent: all. */
  readonly default?: string;
}

/** Members of the last line besides `test`, `ok` and `seconds`. */
export type Members = Readonly<Record<string, number | string>>;

/** What a long test was called with. */
export interface Call {
  readonly numbers: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, readonly string[]>>;
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

/** A long test as a command of `package.json`. */
export interface LongTest {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly numbers: Readonly<Record<string, NumberOption>>;
  readonly names: Readonly<Record<string, NamesOption>>;
  /** Which words without a dash may stand for which options. */
  readonly words?: {
    readonly usage: string;
    /** The option that a word belongs to; undefined refuses the word. */
    readonly optionOf: (word: string) => string | undefined;
  };
  /** How long the test takes on two cores. */
  readonly time: string;
  /** What the members of the last line mean. */
  readonly members: Readonly<Record<string, string>>;
  /** Resolves to whether the test passed. */
  readonly run: (work: Work) => Promise<boolean>;
}

/** The outside of a command, so that a test can drive it. */
export interface Terminal {
  /** Whether a person watches: progress then stays on one line. */
  readonly isWatched: boolean;
  print(text: string): void;
  complain(text: string): void;
  /** Calls back for each interruption. Returns the way to stop that. */
  onInterrupt(heard: () => void): () => void;
}
