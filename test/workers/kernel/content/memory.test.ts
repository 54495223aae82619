import { emptyLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { contentSuite } from './content-suite.ts';

contentSuite(
  'in memory',
  async () => {
    const log = emptyLog();
    return { open: async () => openMemoryStore(log) };
  },
  40,
);
