import { openDirectoryStore } from '../../workers/store/directory/store.ts';
import { valueOf } from '../../workers/testing/store/store-place.ts';
import { forgettingSuite } from './forgotten-suite.ts';

forgettingSuite('directory', {
  open: (directory) => ({ directory }),
  openStore: (directory) => valueOf(openDirectoryStore(directory)),
  operand: (folder) => folder,
});
