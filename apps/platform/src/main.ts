import { setFlagsFromString } from 'node:v8';
import { main, type RunningService } from '@cds/runtime/service';
import { PlatformConfig } from './config.ts';
import { prefixOf, ROLES } from './roles.ts';

/**
 * How much old memory may grow, as a part of what is in use, until V8 collects all of it. While a file passes through, old memory hardly
 * grows; V8 then allows itself 10 %, counts the chunks that come from sockets in it, and collects everything several times for each file.
 */
const HEAP_GROWING_PERCENT = 50;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);

await main('platform', PlatformConfig, async ({ PLATFORM_ROLES }) => {
  const running: RunningService[] = [];
  for (const name of PLATFORM_ROLES) running.push(await ROLES[name].start(process.env, prefixOf(name)));
  return {
    drain: async (withinMs) => void (await Promise.all(running.map((role) => role.drain(withinMs)))),
    close: async () => void (await Promise.all(running.map((role) => role.close()))),
  };
});
