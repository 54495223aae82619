import type { ServerContext } from '@modelcontextprotocol/server';
import type { GatedCall } from './gated-call.ts';

/** ms between two notifications. Clients end a request that is silent for a minute. */
const EVERY_MS = 5000;

/**
 * Tells a client that gave a progress token, while its call waits or runs, that the call is alive. Returns a function
 * that ends this.
 */
export function tellProgress(call: GatedCall, { mcpReq }: Pick<ServerContext, 'mcpReq'>): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  const tell = (): void => {
    const message = call.isAsking ? 'The call waits for a person.' : 'The call is under way.';
    const params = { progressToken, progress: ++progress, message };
    // A client that has gone reads no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const timer = setInterval(tell, EVERY_MS);
  tell();
  return () => clearInterval(timer);
}
