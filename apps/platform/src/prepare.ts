// Makes the streams and buckets, or brings them up to date, as an operator of the platform; see docs/operations/settings.md.
import { prepareConfig } from '@codase/runtime/config';
import { runOnce, withOperatorBus } from '@codase/runtime/service';
import { prepareBus } from './operator/prepare.service.ts';

await runOnce('platform-prepare', prepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareBus(bus, { replicas: config.REPLICAS })),
);
