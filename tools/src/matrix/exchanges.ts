import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const Exchange = z.object({ endpoint: z.string(), status: z.number().int(), error_key: z.string().optional() });

/** One call that a test made over real HTTP, and the answer to it. */
export type Exchange = z.infer<typeof Exchange>;

/** Reads what the tests' clients recorded: JSON lines, a file for each process. Equal exchanges count once. */
export async function readExchanges(dir: string): Promise<Exchange[]> {
  const seen = new Map<string, Exchange>();
  for (const name of readdirSync(dir).sort()) {
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(join(dir, name)) })) {
      number += 1;
      if (line !== '' && !seen.has(line)) seen.set(line, parse(line, `${name}:${number}`));
    }
  }
  return [...seen.values()];
}

function parse(line: string, location: string): Exchange {
  try {
    return Exchange.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(
      `${location} in the log of exchanges is not an exchange: record {"endpoint", "status", "error_key"?} as one JSON line.`,
      {
        cause,
      },
    );
  }
}
