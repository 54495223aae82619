/** Worker of the small model: the page hands its weights in as `data`, and the options of `fromSmallModel` beside them. */

import { serveModel } from '../device/serve-model.ts';
import { fromSmallModel, type SmallModelData } from './small-model.ts';

serveModel(({ data }) => {
  const { weights, ...options } = data as SmallModelData;
  return fromSmallModel(weights, options);
});
