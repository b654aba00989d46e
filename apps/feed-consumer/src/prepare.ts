// Makes the streams, or brings them up to date, as an operator of the suite; see docs/operations/settings.md.
import { prepareConfig } from '@cds/runtime/config';
import { runOnce, withOperatorBus } from '@cds/runtime/service';
import { prepareFeed } from './operator/prepare.service.ts';

await runOnce('feed-consumer-prepare', prepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareFeed(bus, { replicas: config.REPLICAS })),
);
