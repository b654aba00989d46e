import type { ServiceConfig } from './variables.ts';
import { liveText } from './read-config.ts';

type BusConfig = Pick<
  ServiceConfig,
  'NATS_URL' | 'NATS_USER' | 'NATS_PASSWORD' | 'NATS_CA' | 'NATS_CERT' | 'NATS_KEY' | 'NATS_TLS_HANDSHAKE'
>;

/** The bus that a configuration names. Its password and certificates are read anew at each connect when they were given as files. */
export const busAddress = (config: BusConfig) => ({
  url: config.NATS_URL,
  user: config.NATS_USER,
  password: liveText(config, 'NATS_PASSWORD'),
  tls: { ...liveCertificates(config), handshake: config.NATS_TLS_HANDSHAKE },
});

const liveCertificates = (config: BusConfig) => ({
  ca: config.NATS_CA && liveText(config, 'NATS_CA'),
  cert: config.NATS_CERT && liveText(config, 'NATS_CERT'),
  key: config.NATS_KEY && liveText(config, 'NATS_KEY'),
});
