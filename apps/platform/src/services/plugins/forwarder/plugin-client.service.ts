import { Inject, Injectable } from '@nestjs/common';
import { PLUGIN_CALL, PLUGIN_DESCRIPTION, PluginDescription, PluginReply, readShape } from '@codase/contracts';
import { importValuePublicKey } from '@codase/crypto';
import { AnswerTooLong, TargetRefused, type Answered, type Outbound } from '@codase/runtime/http';
import type { z } from 'zod';
import { PluginFault } from './plugin-fault.ts';

export const PLUGIN_OUTBOUND = Symbol('calls to plugins');

/** The address of a plugin, and the token that it requires. */
interface PluginAddress {
  base_url: string;
  token: string | undefined;
}

/** The status of a plugin that has another key now than the one to which the question was sealed. @gap D2-4.5 */
const KEY_CHANGED = 409;

const DEADLINE_MS = PLUGIN_CALL.seconds * 1000;

/** Calls plugins of companies over HTTPS. Questions and replies are sealed, and are passed on unchanged. @spec D2-4.5 @gap D2-4.5 */
@Injectable()
export class PluginClient {
  constructor(@Inject(PLUGIN_OUTBOUND) private readonly outbound: Outbound) {}

  async describe(plugin: PluginAddress): Promise<PluginDescription> {
    const answer = await this.exchange(plugin, '/description', PLUGIN_DESCRIPTION.bytes);
    const description = read(PluginDescription, answer, 'description');
    await importValuePublicKey(description.public_key).catch(() => {
      throw new PluginFault('Its description is not valid: public_key is not an RSA-2048 key');
    });
    return description;
  }

  /** Returns the sealed reply, or `key_changed` when the plugin has another key. */
  async ask(plugin: PluginAddress, request: string): Promise<z.output<typeof PluginReply> | 'key_changed'> {
    const answer = await this.exchange(plugin, '/call', PLUGIN_CALL.reply_bytes, JSON.stringify({ request }));
    return answer.status === KEY_CHANGED ? 'key_changed' : read(PluginReply, answer, 'reply');
  }

  private async exchange({ base_url, token }: PluginAddress, path: string, answerBytes: number, body?: string): Promise<Answered> {
    const headers = {
      accept: 'application/json',
      'user-agent': 'company-data-service',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const sent = { headers, deadlineMs: DEADLINE_MS, answerBytes };
    const exchanged =
      body === undefined
        ? this.outbound.exchange(`${base_url}${path}`, { ...sent, method: 'GET' })
        : this.outbound.exchange(`${base_url}${path}`, { ...sent, method: 'POST', body: Buffer.from(body) });
    return exchanged.catch((error: unknown) => {
      throw new PluginFault(reasonOf(error));
    });
  }
}

/** Reads the answer of a plugin, which is not trusted: it must have the shape, and a fault names only the member. */
function read<S extends z.ZodType>(shape: S, { status, body }: Answered, what: string): z.output<S> {
  if (status !== 200) throw new PluginFault(`It answered ${status}`);
  try {
    return readShape(shape, JSON.parse(body.toString('utf8')), 'body');
  } catch (error) {
    throw new PluginFault(`Its ${what} is not valid${error instanceof SyntaxError ? ': it is no JSON' : `: ${(error as Error).message}`}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TargetRefused) return `It was not called: ${error.message}`;
  if (error instanceof AnswerTooLong) return 'Its answer is too long';
  if ((error as Error).name === 'TimeoutError') return `It did not answer within ${PLUGIN_CALL.seconds} seconds`;
  if (isCertificateFault(error)) return 'Its certificate is not one that is trusted for its address';
  return 'It could not be reached, or broke off';
}

const isCertificateFault = (error: unknown) => /CERT|LEAF_SIGNATURE|ISSUER/.test((error as { code?: string }).code ?? '');
