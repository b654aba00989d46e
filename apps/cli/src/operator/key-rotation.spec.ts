import { nextStep, rotateKey, type FileKey, type Progress, type Rotation } from './key-rotation.ts';

/** A file, and two replicas that read it when it is waited for them. */
class Stage {
  keys: FileKey[] = [{ id: 'old', text: 'old' }];
  progress: Progress | undefined;
  replicas: string[][] = [['old'], ['old']];
  needs: string | undefined;
  readonly lists: string[] = [];
  private made = 0;

  rotation(): Rotation {
    return {
      file: {
        read: () => this.keys,
        write: (keys) => {
          this.keys = [...keys];
          this.lists.push(this.ids().join(' '));
        },
        create: () => ({ id: `new${++this.made}`, text: 'new' }),
      },
      progress: {
        read: () => this.progress,
        write: (progress) => void (this.progress = progress),
        remove: () => void (this.progress = undefined),
      },
      reported: async () => ({ writers: this.replicas, readers: [] }),
      inUse: async () => this.needs,
      until: (waitsFor, isTrue) => this.until(waitsFor, isTrue),
      say: () => undefined,
      now: () => new Date('2026-01-01T00:00:00Z'),
    };
  }

  ids = () => this.keys.map(({ id }) => id);

  /** One replica reads at a time; what is not true then never will be. */
  private async until(waitsFor: string, isTrue: () => Promise<boolean | string>): Promise<void> {
    for (const nth of [0, 1]) {
      if ((await isTrue()) === true) return;
      this.replicas[nth] = this.ids();
    }
    const answer = await isTrue();
    if (answer !== true) throw new Error(`waited in vain until ${waitsFor}: ${String(answer)}`);
  }
}

describe('the rotation of a key', () => {
  it('adds, puts first and removes, and each step waits for all replicas', async () => {
    const stage = new Stage();

    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');

    expect(stage.lists).toEqual(['old new1', 'new1 old', 'new1']);
    expect(stage.replicas).toEqual([['new1'], ['new1']]);
    expect(stage.progress).toBeUndefined();
  });

  it('keeps the old key while something needs it, says what, and goes on where it stopped', async () => {
    const stage = new Stage();
    stage.needs = 'acct_1 has not used its secret';

    await expect(rotateKey(stage.rotation())).rejects.toThrow('acct_1 has not used its secret');
    expect(stage.ids()).toEqual(['new1', 'old']);
    expect(nextStep(stage.rotation())).toContain('remove the old keys');

    stage.needs = undefined;
    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');
    expect(stage.ids()).toEqual(['new1']);
  });

  it('makes a key anew that was noted and never came into the file', async () => {
    const stage = new Stage();
    stage.progress = { new_id: 'lost' };

    expect(nextStep(stage.rotation())).toBe('add a new key');
    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');
  });

  it('puts no key first that nobody reports', async () => {
    const stage = new Stage();
    stage.replicas = [];
    const rotation: Rotation = {
      ...stage.rotation(),
      until: async (waitsFor, isTrue) => {
        if ((await isTrue()) !== true) throw new Error(waitsFor);
      },
    };

    await expect(rotateKey(rotation)).rejects.toThrow('every replica has read the key');
    expect(stage.ids()).toEqual(['old', 'new1']);
  });
});
