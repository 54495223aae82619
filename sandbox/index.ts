export { buildRealm, type RealmSource, type Script } from './build.ts';
export { Call, type CallInput, type CallStep, type PowerAnswer, type PowerRequest, recordPowerCall } from './call.ts';
export { type GuestSource, Loaded, loadCapability } from './capability.ts';
export { createEngine, type Engine, type EngineSource } from './engine.ts';
export { heapHash, type Image } from './image.ts';
export { GLOBALS } from './permits.ts';
export { PINS, type Pins } from './pins.ts';
export { Realm, type RealmFailure, type RealmLimits, type RealmOutcome } from './realm.ts';
