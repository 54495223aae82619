import weightsUrl from '../../../workers/bridges/models/small/weights.bin?url';
import { models } from '../../texts/en/models.ts';

/**
 * The weights of the small model. The site of the playground has them; the npm package has not, and its server finds
 * them in the package `sallyport-small-model`. Throws an `Error` for a person.
 */
export async function fetchWeights(): Promise<Uint8Array> {
  const response = await fetch(weightsUrl);
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  throw new Error(response.status === 404 ? models().small.elsewhere : models().small.noWeights);
}
