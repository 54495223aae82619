export { tableSuite } from '../../../workers/testing/store/table-suite.ts';
