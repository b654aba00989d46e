import { Secrets } from '@codase/stack';

/** Secrets in memory that remember what was made, and what was handed to which process. */
export class RecordingSecrets extends Secrets {
  private readonly made = new Map<string, string>();
  private readonly handed = new Map<string, string[]>();

  override get(name: string, make: () => string): string {
    const value = super.get(name, make);
    this.made.set(name, value);
    return value;
  }

  override put(name: string, value: string): string {
    const process = processIn(name);
    if (process) this.hand(process, value);
    else this.made.set(name, value);
    return super.put(name, value);
  }

  override derive(name: string, value: string): void {
    super.put(name, value);
  }

  override share(name: string, process: string, variable: string): string {
    this.hand(process, this.known(name));
    return super.share(name, process, variable);
  }

  /** Records the files of a folder as handed to the process. Nothing is written. */
  override mount(name: string, files: Readonly<Record<string, string>>): string {
    for (const value of Object.values(files)) this.hand(processIn(name)!, value);
    return `/${name}`;
  }

  secretsOf(process: string): string[] {
    const texts = this.handed.get(process) ?? [];
    return [...this.made].filter(([, value]) => texts.some((text) => holds(text, value))).map(([name]) => name);
  }

  private hand(process: string, value: string): void {
    this.handed.set(process, [...(this.handed.get(process) ?? []), value]);
  }
}

const processIn = (name: string): string | undefined => /^services\/([^/]+)\//.exec(name)?.[1];

/** Whether a text contains a value, also in the form that JSON gives it: a key of several lines has escapes there. */
const holds = (text: string, value: string): boolean => text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
