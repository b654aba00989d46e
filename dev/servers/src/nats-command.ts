import { join } from 'node:path';
import { isRootless } from './containers.ts';
import { natsConfigFile, type NatsConfig } from './nats-config.ts';
import type { RunningServer } from './running-server.ts';
import { ServerContainer } from './server-container.ts';
import { ServerProcess } from './server-process.ts';
import { isRoot, type SystemUser } from './system-user.ts';

/** A nats-server that can be started: a program of this machine, or an image for Docker. */
export type NatsServer = NatsBinary | { kind: 'container'; image: string };

export interface NatsBinary {
  kind: 'binary';
  path: string;
  version: string;
  from: 'NATS_SERVER_BIN' | 'cache' | 'PATH' | 'pinned' | 'mirror' | 'package manager';
  /** Whether the server may use only one core: beside many others, looking for work on a second one takes a fifth of its CPU. */
  singleCore?: boolean;
}

/** A server to start, and its folder and port. */
export interface NatsSite {
  server: NatsServer;
  dir: string;
  port: number;
  durable: boolean;
  temporary: boolean;
  /** The name by which we recognise that the server that answers on the port is ours. */
  name: string;
}

/** The path of the configuration. It holds the passwords, so the file is readable only by its owner. */
export const configPath = ({ dir }: NatsSite): string => join(dir, 'nats.conf');

export const logPath = ({ dir }: NatsSite): string => join(dir, 'nats.log');

/** The text of the configuration, with the listen address as seen from the server. */
export function configText(config: NatsConfig, { server, dir, port, durable, name }: NatsSite): string {
  const host = server.kind === 'binary' ? '127.0.0.1' : '0.0.0.0'; // the port of a container is published on 127.0.0.1 alone
  return natsConfigFile(config, { name, host, port, store_dir: dir, durable });
}

export async function launchNats(site: NatsSite): Promise<RunningServer> {
  const { server, dir, port, temporary } = site;
  const args = ['--config', configPath(site)];
  const run = { args, log: logPath(site), signals: ['SIGTERM', 'SIGKILL'], removeWithUs: temporary ? dir : undefined } as const;
  if (server.kind === 'binary') {
    // Servers of tests live for seconds: collecting their garbage as often as usual takes a sixth of their CPU.
    const env = server.singleCore ? { GOMAXPROCS: '1', GOGC: '400' } : {};
    return ServerProcess.launch({ ...run, file: server.path, env });
  }
  return ServerContainer.launch({ ...run, image: server.image, folder: dir, port, user: await containerUser() });
}

/** The user of this process, who may then delete the container's files; undefined when root inside is this user outside. */
async function containerUser(): Promise<SystemUser | undefined> {
  if (isRoot() || (await isRootless())) return undefined;
  return { uid: process.getuid!(), gid: process.getgid!() };
}
