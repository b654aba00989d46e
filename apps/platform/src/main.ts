import { main, type RunningService } from '@cds/runtime/service';
import { PlatformConfig } from './config.ts';
import { prefixOf, ROLES } from './roles.ts';

await main('platform', PlatformConfig, async ({ PLATFORM_ROLES }) => {
  const running: RunningService[] = [];
  for (const name of PLATFORM_ROLES) running.push(await ROLES[name].start(process.env, prefixOf(name)));
  return {
    drain: async (withinMs) => void (await Promise.all(running.map((role) => role.drain(withinMs)))),
    close: async () => void (await Promise.all(running.map((role) => role.close()))),
  };
});
