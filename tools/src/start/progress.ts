/** Where progress is shown: a terminal, or something that only takes lines. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Tells what is being done: one lasting line per finished step and, on a terminal, a passing line for what is under way. */
export class Progress {
  private readonly screen: Screen;
  private readonly underWay = new Map<string, string>();
  private readonly listeners = new Set<(text: string) => void>();

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** Does a step and tells how long it took; `work` may note where it is, `describe` names what came of it. */
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

  /** Prints lines that stay. */
  say(text: string): void {
    this.wipe();
    this.screen.write(`${text}\n`);
    this.drawPassing();
    for (const listener of this.listeners) listener(text);
  }

  /** Resolves when something is said that is what one waits for. */
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

  /** On a terminal the passing line changes; elsewhere each note is a line of its own. */
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
