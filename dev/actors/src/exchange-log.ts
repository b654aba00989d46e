import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '@codase/runtime/http';

/** Logs the endpoint name and the result of an HTTP call, so that the matrix counts what tests really tried. */
export function recordExchange({ contract, status, error_key }: Exchange): void {
  const dir = process.env['CODASE_EXCHANGE_LOG'];
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  appendFileSync(
    join(dir, `${process.pid}.jsonl`),
    `${JSON.stringify({ endpoint: contract.name, status, ...(error_key && { error_key }) })}\n`,
  );
}
