import { get } from 'node:http';
import { messageOf } from '@codase/command-line';

const ANSWER_TIME = 2000;
const REASON_LENGTH = 300;

/** Asks a service once whether it is ready. Returns undefined when it is, otherwise the reason it gives. */
export function whyNotReady(opsPort: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port: opsPort, path: '/readyz', agent: false, timeout: ANSWER_TIME }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (body.length < REASON_LENGTH) body += chunk;
      });
      response.on('error', () => resolve('its answer broke off'));
      const answer = () => `it answers ${response.statusCode}${body && `: ${shortened(body)}`}`;
      response.on('end', () => resolve(response.statusCode === 200 ? undefined : answer()));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIME / 1000} s`)));
    request.on('error', (error) => resolve(messageOf(error)));
  });
}

const shortened = (body: string): string => {
  const line = body.replaceAll(/\s+/g, ' ').trim();
  return line.length > REASON_LENGTH ? `${line.slice(0, REASON_LENGTH - 1)}…` : line;
};
