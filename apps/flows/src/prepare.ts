// Creates the streams, or brings them up to date, as an operator of the suite. See docs/operations/settings.md.
import { prepareConfig } from '@codase/runtime/config';
import { runOnce, withOperatorBus } from '@codase/runtime/service';
import { prepareTurns } from './operator/prepare.service.ts';

await runOnce('flows-prepare', prepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareTurns(bus, { replicas: config.REPLICAS })),
);
