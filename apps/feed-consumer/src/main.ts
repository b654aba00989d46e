import { main } from '@cds/runtime/service';
import { Config, start } from './index.ts';

await main('feed-consumer', Config, start);
