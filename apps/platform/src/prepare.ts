// Makes the streams and buckets, or brings them up to date, as an operator of the platform; see docs/operations/settings.md.
import { prepareConfig } from '@cds/runtime/config';
import { runOnce, withOperatorBus } from '@cds/runtime/service';
import { prepareBus } from './operator/prepare.service.ts';

await runOnce('platform-prepare', prepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareBus(bus, { replicas: config.REPLICAS })),
);
