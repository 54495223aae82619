import { nodeEngine, nodeSpawn } from '../../../workers/node/spawn.ts';
import { poolSuite } from './pool-suite.ts';

poolSuite(async () => nodeSpawn(await nodeEngine()));
