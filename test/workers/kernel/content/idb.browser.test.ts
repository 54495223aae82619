import { openDatabaseStore } from '../../../../workers/store/page/database-store.ts';
import { valueOf } from '../../store/store-suite.ts';
import { contentSuite } from './content-suite.ts';

contentSuite(
  'in IndexedDB',
  async () => {
    const name = `content-${crypto.randomUUID()}`;
    return { open: async () => valueOf(await openDatabaseStore(name)) };
  },
  8,
);
