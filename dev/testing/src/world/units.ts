import { Config as DecryptorConfig, start as startDecryptor } from '@codase/decryptor';
import { Config as FeedConsumerConfig, start as startFeedConsumer } from '@codase/feed-consumer';
import { Config as FlowsConfig, start as startFlows } from '@codase/flows';
import { Config as GatewayConfig, start as startGateway } from '@codase/gateway';
import { ROLES } from '@codase/platform';
import type { Clock } from '@codase/runtime/clock';
import { readConfig } from '@codase/runtime/config';
import type { UnitName } from '@codase/stack';
import { Config as TwofaConfig, start as startTwofa } from '@codase/twofa';
import { replyKey, sealKeyPair } from '../keys.ts';

/** A service that runs in the process of the test. */
export interface ServiceHere {
  close(): Promise<void>;
}
type Start = (env: Record<string, string>, options: { clock: Clock }) => Promise<ServiceHere>;

/** How each service is started in the process of the test. */
export const START_HERE: Record<UnitName, Start> = {
  'front-door': (env, options) => ROLES['front-door'].start(env, '', options),
  'region-eu': (env, options) => ROLES.region.start(env, '', { ...options, sealKeyPair }),
  'region-us': (env, options) => ROLES.region.start(env, '', { ...options, sealKeyPair }),
  delivery: (env, options) => ROLES.delivery.start(env, '', options),
  forwarder: (env, options) => ROLES.forwarder.start(env, '', options),
  gateway: (env, options) => startGateway(readConfig(GatewayConfig, env), options),
  'feed-consumer': (env, options) => startFeedConsumer(readConfig(FeedConsumerConfig, env), options),
  decryptor: (env, options) => startDecryptor(readConfig(DecryptorConfig, env), options),
  flows: (env, options) => startFlows(readConfig(FlowsConfig, env), { ...options, createReplyKey: replyKey }),
  twofa: (env, options) => startTwofa(readConfig(TwofaConfig, env), options),
};

export type Plane = 'platform' | 'suite';
export const PLANES: readonly Plane[] = ['platform', 'suite'];

const PLANE: Record<UnitName, Plane> = {
  'front-door': 'platform',
  'region-eu': 'platform',
  'region-us': 'platform',
  delivery: 'platform',
  forwarder: 'platform',
  gateway: 'suite',
  'feed-consumer': 'suite',
  decryptor: 'suite',
  flows: 'suite',
  twofa: 'suite',
};

export const planeOf = (unit: UnitName): Plane => PLANE[unit];
export const isOfPlatform = (unit: UnitName): boolean => planeOf(unit) === 'platform';

/** Returns the bus user of a unit, which is also the unit's name on the bus. */
export const busUserOf = (unit: UnitName): string => (isOfPlatform(unit) ? `platform-${unit}` : unit);
