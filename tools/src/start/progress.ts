/** Where progress is shown: a terminal, or something that only takes lines. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Shows what is being done: one permanent line for each finished step and, on a terminal, a temporary line for what is under way. */
export class Progress {
  private readonly underWay = new Map<string, string>();
  private readonly listeners = new Set<(text: string) => void>();

  constructor(private readonly screen: Screen) {}

  /** Runs a step and prints how long it took. `work` may report how far it is, `describe` names the result. */
  async step<T>(
    name: string,
    work: (note: (text: string) => void) => Promise<T>,
    describe: (result: T) => string = () => name,
  ): Promise<T> {
    const start = performance.now();
    this.note(name, '');
    const result = await work((text) => this.note(name, text)).finally(() => {
      this.underWay.delete(name);
      this.drawPassing();
    });
    this.say(`${describe(result)} … ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return result;
  }

  say(text: string): void {
    this.wipe();
    this.screen.write(`${text}\n`);
    this.drawPassing();
    for (const listener of this.listeners) listener(text);
  }

  /** Resolves when a line is printed that meets the condition. */
  hears(isIt: (text: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listener = (text: string) => {
        if (!isIt(text)) return;
        this.listeners.delete(listener);
        resolve();
      };
      this.listeners.add(listener);
    });
  }

  /** Changes the temporary line on a terminal; elsewhere each note is a line of its own. */
  private note(name: string, text: string): void {
    this.underWay.set(name, text);
    this.drawPassing();
    if (text && !this.screen.isTTY) this.screen.write(`${name}: ${text}\n`);
  }

  private drawPassing(): void {
    if (!this.screen.isTTY) return;
    this.wipe();
    const line = [...this.underWay].map(([name, text]) => (text ? `${name}: ${text}` : name)).join(', ');
    if (line) this.screen.write(`${line} …`.slice(0, (this.screen.columns || 80) - 1));
  }

  private wipe(): void {
    if (this.screen.isTTY) this.screen.write('\r\u001b[2K');
  }
}
