import { Injectable } from '@nestjs/common';
import { OpenedQuestion, type OpenedReply, type PluginDescription, type Sealed } from '@codase/contracts';
import { CryptoRefusal, importValuePublicKey, sealValue } from '@codase/crypto';
import { openValue } from '@codase/crypto/open';
import { PluginFault } from '../forwarder/plugin-fault.ts';
import type { BuiltinPlugin } from './builtin-plugin.ts';
import { BUILTIN_PLUGINS } from './builtin-plugins.ts';
import { BuiltinKeys } from './builtin-keys.service.ts';

/**
 * Runs the platform's own plugins in the process of the forwarder. Like every plugin they open the question, answer it from their tables
 * and seal the reply. They keep neither question nor reply. @spec D1-2.11 @gap D2-4.5
 */
@Injectable()
export class BuiltinAnswers {
  constructor(private readonly keys: BuiltinKeys) {}

  async describe(key: string): Promise<PluginDescription> {
    const [current] = await this.keys.current();
    return { ...pluginOf(key).description, public_key: current!.public_key };
  }

  async ask(key: string, request: string): Promise<{ reply: Sealed } | 'key_changed'> {
    const plugin = pluginOf(key);
    const opened = await this.open(request);
    if (opened === undefined) return 'key_changed';
    const question = read(opened);
    if (!question) throw new PluginFault('The question is none');
    const reply = await seal(question, plugin.answer(question));
    return { reply };
  }

  /** Opens a request; undefined when none of the keys opens it. */
  private async open(request: string): Promise<string | undefined> {
    for (const { privateKey } of await this.keys.current()) {
      const opened = await openValue(privateKey, request).catch((error: unknown) => {
        if (error instanceof CryptoRefusal) return undefined;
        throw error;
      });
      if (opened !== undefined) return opened;
    }
    return undefined;
  }
}

function pluginOf(key: string): BuiltinPlugin {
  const plugin = BUILTIN_PLUGINS.find((one) => one.key === key);
  if (!plugin) throw new PluginFault('There is no such built-in plugin any more');
  return plugin;
}

function read(text: string): OpenedQuestion | undefined {
  try {
    return OpenedQuestion.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function seal({ reply_key }: OpenedQuestion, reply: OpenedReply): Promise<Sealed> {
  const key = await importValuePublicKey(reply_key).catch(() => {
    throw new PluginFault('The question has no key for its reply');
  });
  return (await sealValue(key, JSON.stringify(reply))) as Sealed;
}
