import { main } from '@codase/runtime/service';
import { Config, start } from './index.ts';

await main('flows', Config, start);
