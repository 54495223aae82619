import { openBrowserStore } from '../../../../workers/store/idb/store.ts';
import { valueOf } from '../../store/store-suite.ts';
import { contentSuite } from './content-suite.ts';

contentSuite(
  'in IndexedDB',
  async () => {
    const name = `content-${crypto.randomUUID()}`;
    return { open: async () => valueOf(await openBrowserStore(name)) };
  },
  8,
);
