import { nodeEngine, nodeSpawn } from '../../workers/sandbox/spawn-node.ts';
import { poolSuite } from './pool-suite.ts';

poolSuite(async () => nodeSpawn(await nodeEngine()));
