/**
 * `sallyport/testing`: helpers for tests of capabilities and grants. They use the real kernel and the real sandbox, in
 * Node. A failure throws an `Error` with `actual` and `expected`, which every test runner shows.
 *
 * @experimental
 */
export type * from './node.ts';
export { type FuzzOptions, type FuzzReport, fuzzCapability } from './testing/fuzz.ts';
export {
  type Expected,
  expectRejected,
  type FakeClock,
  fakeClock,
  type Gate,
  openTestRuntime,
  type Proposals,
  proposals,
  type Rejection,
  type ScriptedModel,
  type Situation,
  scripted,
  type TestOptions,
} from './testing/runtime.ts';
