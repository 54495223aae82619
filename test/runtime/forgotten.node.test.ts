import { forgettingSuite } from './forgotten.ts';

forgettingSuite('directory', { open: (directory) => ({ directory }), operand: (folder) => folder });
