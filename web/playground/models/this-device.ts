import type { GgufOptions } from '../../models.ts';

/** Tokens of the context at most: a longer one needs more memory, and the answers wait longer. */
export const CONTEXT_TOKENS_MAX = 4096;
const THREADS_MAX = 8;
const GB: number = 2 ** 30;

/** Limits of a model here. Chromium tells the device's memory, rounded; the browser and the system need a quarter of it. */
export function limitsHere(): GgufOptions {
  const { deviceMemory } = navigator as { readonly deviceMemory?: number };
  const known = deviceMemory !== undefined && deviceMemory < 8;
  return { contextTokens: CONTEXT_TOKENS_MAX, ...(known && { memoryBytes: deviceMemory * GB * 0.75 }) };
}

/** Threads share memory, which browsers give only to a page that is isolated from other origins. */
export function threadsHere(): number {
  if (!crossOriginIsolated) return 1;
  return Math.max(1, Math.min(THREADS_MAX, Math.floor(navigator.hardwareConcurrency / 2)));
}

/** Whether the browser gives pages a graphics processor: it may have WebGPU and no adapter for this device. */
export async function hasGpu(): Promise<boolean> {
  const { gpu } = navigator as { readonly gpu?: { requestAdapter(): Promise<unknown> } };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return adapter !== undefined && adapter !== null;
}
