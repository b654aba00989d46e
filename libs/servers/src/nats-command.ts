import { join } from 'node:path';
import { command } from './command.ts';
import { natsConfigFile, type NatsConfig } from './nats-config.ts';
import type { ServerCommand, ServerProcess } from './server-process.ts';

/** A nats-server that can be started: a program of this machine, or an image for Docker. */
export type NatsServer = NatsBinary | { kind: 'container'; image: string };

export interface NatsBinary {
  kind: 'binary';
  path: string;
  version: string;
  from: 'NATS_SERVER_BIN' | 'cache' | 'PATH' | 'mirror' | 'package manager';
}

/** One server to be, and where it lives. */
export interface NatsSite {
  server: NatsServer;
  dir: string;
  port: number;
  durable: boolean;
  temporary: boolean;
  /** By which we know that the one who answers on the port is ours. */
  name: string;
}

/** The configuration holds the passwords, so its file is readable by its owner alone. */
export const configPath = ({ dir }: NatsSite): string => join(dir, 'nats.conf');

/** The text of that file, with the paths and the address as the server will see them. */
export function configText(config: NatsConfig, { server, dir, port, durable, name }: NatsSite): string {
  if (server.kind === 'binary') return natsConfigFile(config, { name, host: '127.0.0.1', port, store_dir: dir, durable });
  return natsConfigFile(config, { name, host: '0.0.0.0', port: 4222, store_dir: '/data', durable });
}

/** How to start it. */
export function natsCommand(site: NatsSite): ServerCommand {
  const { server, dir, port, temporary } = site;
  const same = { log: join(dir, 'nats.log'), signals: ['SIGTERM', 'SIGKILL'], removeWithUs: temporary ? dir : undefined } as const;
  if (server.kind === 'binary') return { ...same, file: server.path, args: ['--config', configPath(site)] };
  return {
    ...same,
    file: 'docker',
    args: [
      'run',
      '--rm',
      '--name',
      containerName(site),
      '--publish',
      `127.0.0.1:${port}:4222`,
      '--volume',
      `${dir}:/data`,
      server.image,
      '--config',
      '/data/nats.conf',
    ],
    env: process.env, // the docker client needs DOCKER_HOST and its kin; the container sees none of it
  };
}

/** Killing the docker client would leave the container alone, so a container is signalled by name. */
export function sendSignal(site: NatsSite, server: ServerProcess, signal: NodeJS.Signals): void {
  if (site.server.kind === 'binary') server.signal(signal);
  else void command('docker', ['kill', '--signal', signal, containerName(site)], { seconds: 10, env: process.env });
}

const containerName = ({ name }: NatsSite): string => `cds-nats-${name}`;
