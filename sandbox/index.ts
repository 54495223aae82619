export { adoptRealm, buildRealm, type RealmSource } from './build.ts';
export { type CallStep, SandboxCall as Call } from './call.ts';
export { adoptCapability, CapabilityRealm, loadCapability } from './capability.ts';
export { createEngine, type Engine, type EngineSource } from './engine.ts';
export { heapHash } from './image.ts';
export { type CallInput, isIntact, type ParkedCall } from './park.ts';
export { PINS, type Pins } from './pins.ts';
export { type GuestPowerAnswer as PowerAnswer, type PowerRequest, recordPowerCall } from './power-call.ts';
export { callPowers, type PowerSources } from './powers.ts';
export { GLOBALS } from './prelude.ts';
export { Realm, type RealmLimits, type RealmOutcome, WarmRealms } from './realm.ts';
export { CHECK_LIMITS, checkedAllFrom, checkedFrom, checkerSource, SchemaChecker } from './schema/check.ts';
export {
  admittedFrom,
  COMPILE_LIMITS,
  type CompiledSchema,
  compilerSource,
  judgedFrom,
  notCompiled,
  SchemaCompiler,
} from './schema/compile.ts';
export { SOURCE_CHECK, SourceChecker, sourceKey } from './source-checker.ts';
export { type GivenImage, type StoredImage, storeImage } from './stored-image.ts';
