import { main } from '@cds/runtime/service';
import { Config, start } from './index.ts';

await main('decryptor', Config, start);
