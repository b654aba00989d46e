// Makes the streams, or brings them up to date, as an operator of the suite; see docs/operations/settings.md.
import { prepareConfig } from '@codase/runtime/config';
import { runOnce, withOperatorBus } from '@codase/runtime/service';
import { prepareChallenges } from './operator/prepare.service.ts';

await runOnce('twofa-prepare', prepareConfig, (config, log) =>
  withOperatorBus(config, log, (bus) => prepareChallenges(bus, { replicas: config.REPLICAS })),
);
