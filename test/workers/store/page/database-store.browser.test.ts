import { openDatabaseStore } from '../../../../workers/store/page/database-store.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { storeSuite, valueOf } from '../store-suite.ts';
import { tableSuite } from '../table-suite.ts';

let places = 0;
async function newPlace() {
  const name = `store-suite-${crypto.randomUUID()}-${places++}`;
  return { open: async () => valueOf(await openDatabaseStore(name)) };
}

storeSuite('in IndexedDB', newPlace, 15);
tableSuite('in IndexedDB', newPlace);
retentionSuite('in IndexedDB', newPlace);
