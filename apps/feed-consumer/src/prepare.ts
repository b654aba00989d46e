// Creates the streams, or brings them up to date, as an operator of the suite. See docs/operations/settings.md.
import { runOnce, withOperatorBus } from '@codase/runtime/service';
import { PrepareConfig } from './config.ts';
import { prepareFeed } from './operator/prepare.service.ts';

await runOnce('feed-consumer-prepare', PrepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareFeed(bus, { replicas: config.REPLICAS, maxBytes: config.FEED_MAX_BYTES })),
);
