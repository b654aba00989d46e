import type { ContainerRuntimeClient } from 'testcontainers';
import type { Progress } from './progress.ts';

/** What runs the servers: programs of this machine, or containers. */
export type Driver = 'binary' | 'containers';

/** The driver that CODASE_INFRA names. When undefined, programs are used, and containers for servers that have no program here. */
export function chosenDriver(env: NodeJS.ProcessEnv): Driver | undefined {
  const { CODASE_INFRA: driver } = env;
  if (!driver) return undefined;
  if (driver === 'binary' || driver === 'containers') return driver;
  throw new Error(`CODASE_INFRA is '${driver}': set it to binary or containers, or unset it.`);
}

/** The images of the servers; a CI that wants the same servers for years sets its own. */
export const postgresImage = (env: NodeJS.ProcessEnv): string => env.CODASE_POSTGRES_IMAGE || 'postgres:18-alpine';
export const natsImage = (env: NodeJS.ProcessEnv): string => env.CODASE_NATS_IMAGE || 'nats:2-alpine';

/** Loads testcontainers only when it is used: loading takes half a second, which a run with programs never needs. */
const testcontainers = () => import('testcontainers');

/** The Docker, podman or other container runtime that answers here, found as testcontainers finds it (DOCKER_HOST and so on). */
export async function containerRuntime(): Promise<ContainerRuntimeClient> {
  const { getContainerRuntimeClient } = await testcontainers();
  return getContainerRuntimeClient();
}

/** The image by its full name, as the runtime wants it. */
export async function fullImageName(image: string): Promise<string> {
  const { ImageName } = await testcontainers();
  return ImageName.fromString(image).string;
}

/** Pulls the image unless it is here. Returns why it cannot be used, or undefined when it can. */
export async function imageProblem(image: string, progress?: Progress): Promise<string | undefined> {
  const runtime = await containerRuntime().catch((error: Error) => error);
  if (runtime instanceof Error) return `no Docker answers (${runtime.message})`;
  const { ImageName } = await testcontainers();
  const name = ImageName.fromString(image);
  if (await runtime.image.exists(name)) return undefined;
  progress?.(`pulling the image ${image}`);
  return runtime.image.pull(name).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Whether the runtime runs without root: users inside a container are then other users than outside. */
export async function isRootless(): Promise<boolean> {
  const info = (await (await containerRuntime()).container.dockerode.info()) as { SecurityOptions?: string[] };
  return (info.SecurityOptions ?? []).some((option) => option.includes('rootless'));
}
