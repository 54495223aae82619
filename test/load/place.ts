import { createRequire } from 'node:module';
import type { Outcome } from '../../core/outcome.ts';
import type { PgPool } from '../../workers/postgres.ts';
import { openDirectoryStore } from '../../workers/store/directory/store.ts';
import { openPostgresStore } from '../../workers/store/postgres/store.ts';
import type { SharedStore } from '../../workers/store/shared-store.ts';
import { openSqliteStore } from '../../workers/store/sqlite/store.ts';
import type { StorePlace } from './measure-order.ts';

interface PgModule {
  readonly Pool: new (options: object) => PgPool;
}

/** Opens the store of this place, any number of times. */
export function openingsOf(place: StorePlace): () => Promise<Outcome<SharedStore>> {
  if (place.engine === 'postgres') {
    const { Pool } = createRequire(`${place.driver}/package.json`)('pg') as PgModule;
    const pool = new Pool({ connectionString: place.address });
    return () => openPostgresStore({ pool, log: place.log });
  }
  const { engine, path } = place;
  return async () => (engine === 'sqlite' ? openSqliteStore(path) : openDirectoryStore(path));
}
