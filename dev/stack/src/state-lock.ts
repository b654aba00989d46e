import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ONE_OF_EACH } from './layout.ts';
import { ProcessLock, type Holder, type Lock } from './process-lock.ts';

const Details = z.object({
  port_base: z.number().int(),
  scale: z.object({ replicas: z.number().int(), nats: z.number().int() }).default(ONE_OF_EACH),
});
/** The ports and the scale of the stack that runs from a state folder. */
type Details = z.infer<typeof Details>;

/** Returns the folder of databases, logs and secrets: CODASE_STATE_DIR, or .codase in the repository. */
export const stateDirOf = (env: Readonly<Record<string, string | undefined>>, root: string): string =>
  resolve(root, env['CODASE_STATE_DIR']?.trim() || '.codase');

export const lockOf = (stateDir: string): string => join(stateDir, 'start.lock');

/** Takes the right to use a state folder, which one process has at a time, or throws a Fault that names the process that has it. */
export const takeLock = (path: string, port_base: number, scale = ONE_OF_EACH): Lock => stateLock(path).take({ port_base, scale });

/** Returns the process that runs from a state folder, or undefined when none does. */
export const holderOf = (path: string): Holder<Details> | undefined => stateLock(path).holder;

const stateLock = (path: string): ProcessLock<Details> =>
  new ProcessLock(path, { details: Details, refusal: (holder) => alreadyRunning(holder, path) });

const alreadyRunning = (holder: Holder<Details>, path: string): string =>
  `npm start already runs here: process ${holder.pid}, since ${holder.since}, on ports from ${holder.port_base} (lock ${path}). ` +
  `Stop it with Ctrl-C in its terminal or with: kill ${holder.pid}. ` +
  'To run another beside it, give that one its own folder and ports: CODASE_STATE_DIR=.codase-second npm start -- --port-base 5000';
