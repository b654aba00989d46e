import { nextStep, rotateKey, type Answer, type FileKey, type Progress, type Rotation } from './key-rotation.ts';

/** A key file and two replicas, which read the file while the rotation waits for them. */
class Stage {
  keys: FileKey[] = [{ id: 'old', text: 'old' }];
  progress: Progress | undefined;
  replicas: (string[] | undefined)[] = [['old'], ['old']];
  needs: string | undefined;
  readonly lists: string[] = [];
  readonly recorded: string[] = [];
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
      replicas: async () => this.replicas.map((ids) => ({ service: 'region', writes: true, ids })),
      record: async (step, id) => void this.recorded.push(`${step} ${id}`),
      inUse: async () => this.needs,
      until: (waitsFor, isTrue) => this.until(waitsFor, isTrue),
      say: () => undefined,
      now: () => new Date('2026-01-01T00:00:00Z'),
    };
  }

  ids = () => this.keys.map(({ id }) => id);

  /** Lets one replica read the file before each further check. Fails when the condition is still false after both have read it. */
  private async until(waitsFor: string, isTrue: () => Promise<Answer>): Promise<void> {
    for (const nth of [0, 1]) {
      if ((await isTrue()) === true) return;
      if (this.replicas[nth]) this.replicas[nth] = this.ids();
    }
    const answer = await isTrue();
    if (answer !== true) throw new Error(`waited in vain until ${waitsFor}: ${String(answer)}`);
  }
}

describe('key rotation', () => {
  it('adds the new key, puts it first and removes the old one, and waits for all replicas after each step', async () => {
    const stage = new Stage();

    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');

    expect(stage.lists).toEqual(['old new1', 'new1 old', 'new1']);
    expect(stage.replicas).toEqual([['new1'], ['new1']]);
    expect(stage.progress).toBeUndefined();
    expect(stage.recorded).toEqual(['added new1', 'first new1', 'removed old']);
  });

  it('changes nothing while replicas use other keys than the file', async () => {
    const stage = new Stage();
    stage.replicas = [['another'], ['old']];
    const isRead = stage.rotation();
    const rotation: Rotation = { ...isRead, until: async (_, isTrue) => Promise.reject(new Error(String(await isTrue()))) };

    await expect(rotateKey(rotation)).rejects.toThrow('region: 1 has not yet');
    expect([stage.lists, stage.recorded, stage.progress]).toEqual([[], [], undefined]);
  });

  it('waits for an expected replica that does not answer', async () => {
    const stage = new Stage();
    stage.replicas = [['old'], undefined];

    await expect(rotateKey(stage.rotation())).rejects.toThrow('region: 1 does not answer');
    expect(stage.ids()).toEqual(['old']);
  });

  it('keeps the old key while something needs it, reports the reason, and resumes at that step', async () => {
    const stage = new Stage();
    stage.needs = 'acct_1 has not used its secret';

    await expect(rotateKey(stage.rotation())).rejects.toThrow('acct_1 has not used its secret');
    expect(stage.ids()).toEqual(['new1', 'old']);
    expect(nextStep(stage.rotation())).toContain('remove the old keys');

    stage.needs = undefined;
    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');
    expect(stage.ids()).toEqual(['new1']);
  });

  it('creates a new key when the recorded one never reached the file', async () => {
    const stage = new Stage();
    stage.progress = { new_id: 'lost' };

    expect(nextStep(stage.rotation())).toBe('add a new key');
    await expect(rotateKey(stage.rotation())).resolves.toBe('new1');
  });

  it('resumes after it was killed at any step', async () => {
    for (const step of ['added', 'first', 'removed']) {
      const stage = new Stage();
      const { record, ...rest } = stage.rotation();
      const killed: Rotation = {
        ...rest,
        record: async (done, id) => (done === step ? Promise.reject(new Error('killed')) : record(done, id)),
      };
      await expect(rotateKey(killed)).rejects.toThrow('killed');

      await expect(rotateKey(stage.rotation())).resolves.toMatch(/^new/);
      expect(stage.ids()).toEqual(stage.replicas[0]);
      expect(stage.ids()).toHaveLength(1);
    }
  });
});
