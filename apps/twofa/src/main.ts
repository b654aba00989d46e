import { main } from '@cds/runtime/service';
import { Config, start } from './index.ts';

await main('twofa', Config, start);
