import { setFlagsFromString } from 'node:v8';
import { main, type RunningService } from '@codase/runtime/service';
import { PlatformConfig } from './kit/config.ts';
import { prefixOf, ROLES } from './roles.ts';

/**
 * By how many percent of its used size V8's old generation may grow until V8 collects all of it. While a file passes through, the old
 * generation hardly grows. V8 by itself then allows 10 %, counts the chunks that come from sockets in it, and collects everything several
 * times for each file.
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
