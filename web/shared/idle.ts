/** Acts when the page has time, or after five seconds. Safari has no idle callbacks. */
export function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: 5_000 });
  else setTimeout(act, 1_000);
}
