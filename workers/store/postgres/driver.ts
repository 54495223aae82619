import type { SqlRow } from '../sql/frames.ts';

/** The part of a result of `pg` that the store uses. */
export interface PgResult {
  readonly rows: readonly SqlRow[];
}

/** A statement that the session keeps prepared under its name. */
export interface PgQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

export interface PgNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** The part of a client of `pg` that the store uses. */
export interface PgClient {
  query(query: string | PgQuery, values?: unknown[]): Promise<PgResult>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'notification', listener: (message: PgNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'notification', listener: (message: PgNotification) => void): unknown;
  /** Gives the client back to its pool. True: its connection is closed. */
  release(isBroken?: boolean): void;
}

/** The part of a `Pool` of `pg` that the store uses. The program makes the pool and ends it. */
export interface PgPool {
  connect(): Promise<PgClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PgClient) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
}
