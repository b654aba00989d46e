/** The result of a check that holds, with something that an operator should know. */
export interface Note {
  note: string;
}

/** Checks a condition for being given work. Returns null or a note when it holds, else the reason why it does not. */
export type Check = () => Promise<Finding> | Finding;
type Finding = string | Note | null;

const CHECK_TIMEOUT_MS = 2000;

export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

/** Runs every check, each with a time limit. */
export async function readiness(checks: Readonly<Record<string, Check>>): Promise<Readiness> {
  const answers = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await answerOf(check)] as const));
  return {
    ready: answers.every(([, found]) => typeof found !== 'string'),
    checks: Object.fromEntries(answers.map(([name, found]) => [name, inWords(found)])),
  };
}

const inWords = (found: Finding) => (found === null ? 'ok' : typeof found === 'string' ? found : `ok, but ${found.note}`);

async function answerOf(check: Check): Promise<Finding> {
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
