interface Difference {
  readonly second: { readonly end?: string; readonly text?: string; readonly isSound?: false };
  readonly why: string;
}

/** Programs that end otherwise in quickjs-ng, with the reason. A program that is not named has the same outcome. */
export const OUTCOMES: { readonly [program: string]: Difference } = {};

/** Tests of the product that fail on quickjs-ng, with the reason. A test that is not named passes. */
export const TESTS: { readonly [name: string]: string } = {};
