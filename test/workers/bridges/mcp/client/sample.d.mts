import type { Server } from '@modelcontextprotocol/server';

export function makeSampleServer(told?: { readonly waits?: (signal: AbortSignal) => void }): Server;
