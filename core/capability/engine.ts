/** The engine that runs guest code: a run's first record names it, because fuel and heaps are the same in no other. */
export interface EngineName {
  readonly name: string;
  /** SHA-256 of its bytes as built. */
  readonly hash: string;
}

/** The engine of this build. `sandbox` accepts no other bytes. */
export const ENGINE: EngineName = {
  name: '@jitl/quickjs-wasmfile-release-sync 0.32.0',
  hash: '105c3bed22d457e43e3d1c3c1c6959fda62a8fe06f0fc8a985303c3a2be72232',
};
