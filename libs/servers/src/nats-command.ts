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
  from: 'NATS_SERVER_BIN' | 'cache' | 'PATH' | 'mirror' | 'package manager';
  /** Whether it may use one core only: where many servers run beside each other, looking for work on a second takes a fifth of its CPU. */
  singleCore?: boolean;
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

/** The text of that file, with the address as the server will see it. */
export function configText(config: NatsConfig, { server, dir, port, durable, name }: NatsSite): string {
  const host = server.kind === 'binary' ? '127.0.0.1' : '0.0.0.0'; // a container is published on 127.0.0.1 alone
  return natsConfigFile(config, { name, host, port, store_dir: dir, durable });
}

/** Starts it. */
export async function launchNats(site: NatsSite): Promise<RunningServer> {
  const { server, dir, port, temporary } = site;
  const args = ['--config', configPath(site)];
  const run = { args, log: join(dir, 'nats.log'), signals: ['SIGTERM', 'SIGKILL'], removeWithUs: temporary ? dir : undefined } as const;
  if (server.kind === 'binary') {
    // Those of tests live for seconds: to collect their garbage as often as usual takes a sixth of their CPU.
    const env = server.singleCore ? { GOMAXPROCS: '1', GOGC: '400' } : {};
    return ServerProcess.launch({ ...run, file: server.path, env });
  }
  return ServerContainer.launch({ ...run, image: server.image, folder: dir, port, user: await containerUser() });
}

/** Oneself, so that its files are ours to delete; undefined where root inside is oneself outside. */
async function containerUser(): Promise<SystemUser | undefined> {
  if (isRoot() || (await isRootless())) return undefined;
  return { uid: process.getuid!(), gid: process.getgid!() };
}
