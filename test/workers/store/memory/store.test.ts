import { emptyLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { storeSuite } from '../store-suite.ts';
import { tableSuite } from '../table-suite.ts';

async function newPlace() {
  const log = emptyLog();
  return { open: async () => openMemoryStore(log) };
}

storeSuite('in memory', newPlace, 50);
tableSuite('in memory', newPlace);
retentionSuite('in memory', newPlace);
