import { nodeEngine, nodeSpawn } from '../../../workers/node/spawn.ts';
import { poolSuite } from './pool-suite.ts';

const engine = nodeEngine();

poolSuite(async () => nodeSpawn(await engine));
