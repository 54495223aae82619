export { retentionSuite } from '../../../workers/testing/store/retention-suite.ts';
