import { type MemoryLog, openMemoryStore } from '../../workers/memory/store.ts';
import { storeSuite } from './store-suite.ts';

async function newPlace() {
  const log: MemoryLog = { batches: [] };
  return { open: async () => openMemoryStore(log) };
}

storeSuite('in memory', newPlace, 50);
