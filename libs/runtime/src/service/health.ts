/** A thing that must hold before a service may be given work: null when it holds, else the reason it does not. */
export type Check = () => Promise<string | null> | string | null;

const CHECK_TIMEOUT_MS = 2000;

export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

/** Asks every check, each within its time. */
export async function readiness(checks: Readonly<Record<string, Check>>): Promise<Readiness> {
  const answers = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await answerOf(check)] as const));
  return { ready: answers.every(([, reason]) => reason === null), checks: Object.fromEntries(answers.map(([name, reason]) => [name, reason ?? 'ok'])) };
}

async function answerOf(check: Check): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, `no answer within ${CHECK_TIMEOUT_MS / 1000} s`);
  });
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  } finally {
    clearTimeout(timer);
  }
}
