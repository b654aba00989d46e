import { Inject, Injectable, Optional } from '@nestjs/common';
import { OpenedReply, Refusal, runs, type PluginPass } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { createReplyKey, openValue, type ReplyKey } from '@codase/crypto/open';
import { retry } from '@codase/runtime/resilience';
import { timed } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { Platform, type OpenedRun, type ServicePlatform } from '../runs/platform.service.ts';
import type { AskPlugin, Question } from './fill-plugins.ts';

/** The provider that creates a key for the reply to one question. */
export const CREATE_REPLY_KEY = Symbol('create reply key');
export type CreateReplyKey = () => Promise<ReplyKey>;

/** A pass with the plugins' public keys, which are updated when a plugin reports a new key. */
interface Standing {
  pass: PluginPass;
  keys: Map<string, string | null>;
}

/** Refusals of a plugin or forwarder that is busy. Repeating a question does no harm, but is useful only for a short time. */
const BUSY: readonly string[] = ['plugin.busy', 'plugin.unavailable', 'service.unavailable'];
const RETRIES = { backoff: { firstMs: 250, longestMs: 1_000, jitter: 0.2 }, bound: { attempts: 3 } };
const PASS_REFUSED: readonly string[] = ['plugin.pass_invalid', 'plugin.not_in_pass'];

/** Asks the plugins of the company's step. A question is sealed to the plugin, and its reply to a key of this question. @spec D2-4.5 */
@Injectable()
export class PluginQuestions {
  private readonly standing = new WeakMap<OpenedRun, Promise<Standing>>();

  constructor(
    private readonly platform: Platform,
    @Optional() @Inject(CREATE_REPLY_KEY) private readonly newKey: CreateReplyKey = createReplyKey,
  ) {}

  /** Returns the function that asks about the fields of one turn. One pass serves all its questions. */
  of(service: string, opened: OpenedRun): AskPlugin {
    const platform = this.platform.of(service);
    return (slug, question) =>
      retry(() => measured(() => this.ask(platform, opened, slug, question)), {
        ...RETRIES,
        metric: METRICS.pluginRetried,
        isWorth: (error) => error instanceof Refusal && BUSY.includes(error.key),
      });
  }

  /** Asks one question. Replaces a refused pass once, and seals a question to an old key once again. @spec D2-4.5.6 */
  private async ask(platform: ServicePlatform, opened: OpenedRun, slug: string, question: Question): Promise<OpenedReply> {
    for (const mended = new Set<string>(); ;) {
      const standing = await this.passOf(platform, opened);
      try {
        return await this.send(platform, standing, slug, question);
      } catch (error) {
        const fault = faultOf(error);
        if (!fault || mended.has(fault.of)) throw error;
        mended.add(fault.of);
        if (fault.of === 'pass') this.standing.delete(opened);
        else standing.keys.set(specOf(standing, slug).plugin_id, fault.public_key);
      }
    }
  }

  private passOf(platform: ServicePlatform, opened: OpenedRun): Promise<Standing> {
    const standing = this.standing.get(opened) ?? issue(platform, opened);
    this.standing.set(opened, standing);
    standing.catch(() => this.standing.delete(opened));
    return standing;
  }

  /** Sends one question and returns its reply. A plugin without a key, and an unreadable reply, count as no answer. @spec D2-2.6 */
  private async send(platform: ServicePlatform, standing: Standing, slug: string, question: Question): Promise<OpenedReply> {
    const { plugin_id, field_type } = specOf(standing, slug);
    const public_key = standing.keys.get(plugin_id);
    if (!public_key) throw new Refusal('plugin.not_responding');
    const { reply_key, privateKey } = await this.newKey();
    const key = await importValuePublicKey(public_key).catch(() => notResponding('The plugin has no usable key'));
    const request = await sealValue(key, JSON.stringify({ field_type, ...question, reply_key }));
    const { forwarder_url, pass } = standing.pass;
    const reply = await platform.callForwarder({ forwarder_url, pass, plugin_id, request });
    const opened = await openValue(privateKey, reply).catch(() => notResponding('The reply of the plugin does not open'));
    return readReply(opened);
  }
}

/** Returns the fault that a new pass, or the plugin's new key, would repair. Undefined for any other error. */
function faultOf(error: unknown): { of: 'pass' } | { of: 'key'; public_key: string } | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (PASS_REFUSED.includes(error.key)) return { of: 'pass' };
  const { public_key } = error.extras as { public_key?: unknown };
  return error.key === 'plugin.key_changed' && typeof public_key === 'string' ? { of: 'key', public_key } : undefined;
}

async function issue(platform: ServicePlatform, { run }: OpenedRun): Promise<Standing> {
  const pass = await platform.ask(runs.issuePluginPass, { params: { runId: run.id } });
  return { pass, keys: new Map(pass.plugins.map(({ id, public_key }) => [id, public_key])) };
}

function specOf({ pass: { specs } }: Standing, slug: string) {
  const spec = Object.hasOwn(specs, slug) ? specs[slug] : undefined;
  if (!spec) throw new Refusal('plugin.not_found');
  return spec;
}

function readReply(text: string): OpenedReply {
  try {
    return OpenedReply.parse(JSON.parse(text));
  } catch {
    return notResponding('The reply of the plugin is none that can be read');
  }
}

const notResponding = (why: string): never => {
  throw new Refusal('plugin.not_responding').because(why);
};

/** Measures the time of a question, by how it ended. */
async function measured<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    const reply = await work();
    timed(METRICS.pluginCalls, startedAt, { 'codase.outcome': 'answered' });
    return reply;
  } catch (error) {
    timed(METRICS.pluginCalls, startedAt, { 'codase.outcome': error instanceof Refusal ? error.key : 'failed' });
    throw error;
  }
}
