export {
  modelTest,
  type StorePlace as Place,
  storeSuite,
  valueOf,
} from '../../../workers/testing/store/store-suite.ts';
