/**
 * `sallyport/testing`: helpers for tests of capabilities and grants. They use the real kernel and the real sandbox, in
 * Node. A failure throws an `Error` with `actual` and `expected`, which every test runner shows.
 */
export type * from './node.ts';
export { type FakeClock, fakeClock } from './testing/clock.ts';
export { type FuzzOptions, type FuzzReport, fuzzCapability } from './testing/fuzz.ts';
export { type Expected, expectRejected, type Gate, type Rejection, type Situation } from './testing/rejected.ts';
export { openTestRuntime, type TestOptions } from './testing/runtime.ts';
export { type Proposals, proposals, type ScriptedModel, scripted } from './testing/script.ts';
