import { nodeEngine, nodeSpawn } from '../../../workers/node/platform.ts';
import { poolSuite } from './pool-suite.ts';

const engine = nodeEngine();

poolSuite(async () => nodeSpawn(await engine));
