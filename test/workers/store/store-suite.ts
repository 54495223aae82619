export { type StorePlace as Place, valueOf } from '../../../workers/testing/store/store-place.ts';
export { modelTest, storeSuite } from '../../../workers/testing/store/store-suite.ts';
