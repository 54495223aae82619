export { modelTest } from '../../../workers/testing/store/model-suite.ts';
export { type StorePlace as Place, valueOf } from '../../../workers/testing/store/store-place.ts';
export { storeSuite } from '../../../workers/testing/store/store-suite.ts';
