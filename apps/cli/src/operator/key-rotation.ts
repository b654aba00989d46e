/** One key of a list: its text in the file, and the id that replicas report. */
export interface FileKey {
  id: string;
  text: string;
}

/** A list of keys in a file: the first writes, all read. */
export interface KeyFile {
  read(): FileKey[];
  write(keys: readonly FileKey[]): void;
  create(): FileKey;
}

/** How far a rotation has come, kept beside the file, so that an interrupted one goes on. */
export interface Progress {
  new_id: string;
  /** Since when the new key writes everywhere. */
  first_since?: string;
}

export interface ProgressFile {
  read(): Progress | undefined;
  write(progress: Progress): void;
  remove(): void;
}

export interface Rotation {
  file: KeyFile;
  progress: ProgressFile;
  /** What the replicas report of this list, each in its order; of those that only know the keys, in any. */
  reported(): Promise<{ writers: readonly (readonly string[])[]; readers: readonly (readonly string[])[] }>;
  /** What still needs the old keys, in words; undefined when nothing does. */
  inUse(first_since: Date): Promise<string | undefined>;
  /** Asks again until it is true, or gives up with an error that says what was waited for. */
  until(waitsFor: string, isTrue: () => Promise<boolean | string>): Promise<void>;
  say(line: string): void;
  now(): Date;
}

/**
 * Adds a key, puts it first when every replica has read it, and removes the others when nothing of them is in use. Each step may be
 * repeated: after an interruption it begins at the top again, and finds what is done.
 */
export async function rotateKey(rotation: Rotation): Promise<string> {
  const { file, progress, say, until } = rotation;
  const new_id = begun(rotation) ?? begin(rotation);
  const everyone = async (fits: (ids: readonly string[]) => boolean, writes = fits) => {
    const { writers, readers } = await rotation.reported();
    return writers.length > 0 && writers.every(writes) && readers.every(fits);
  };
  const knows = (ids: readonly string[]) => ids.includes(new_id);

  await until(`every replica has read the key ${new_id}`, () => everyone(knows));
  if (file.read()[0]!.id !== new_id) {
    file.write(sortedFirst(file.read(), new_id));
    say(`the key ${new_id} is first`);
  }
  await until(`every replica writes with the key ${new_id}`, () => everyone(knows, ([first]) => first === new_id));
  const first_since = progress.read()?.first_since ?? rotation.now().toISOString();
  progress.write({ new_id, first_since });
  await until('nothing of the old keys is in use', async () => (await rotation.inUse(new Date(first_since))) ?? true);
  const old = file.read().filter(({ id }) => id !== new_id);
  file.write(file.read().filter(({ id }) => id === new_id));
  for (const { id } of old) say(`the key ${id} is removed`);
  await until('every replica has forgotten the old keys', () => everyone((ids) => old.every(({ id }) => !ids.includes(id))));
  progress.remove();
  return new_id;
}

/** The step that comes next, for those who only look. */
export function nextStep({ file, progress }: Pick<Rotation, 'file' | 'progress'>): string {
  const keys = file.read().map(({ id }) => id);
  const known = progress.read();
  if (!known || !keys.includes(known.new_id)) return 'add a new key';
  if (keys[0] !== known.new_id) return `put the key ${known.new_id} first, when every replica has read it`;
  return keys.length > 1 ? 'remove the old keys, when nothing of them is in use' : 'see that every replica has forgotten the old keys';
}

/** A key that was noted and did not come into the file is made anew: nobody has seen it. */
function begun({ file, progress, say }: Rotation): string | undefined {
  const known = progress.read();
  if (!known || !file.read().some(({ id }) => id === known.new_id)) return undefined;
  say(`going on with the key ${known.new_id}`);
  return known.new_id;
}

function begin({ file, progress, say }: Rotation): string {
  const added = file.create();
  progress.write({ new_id: added.id });
  file.write([...file.read(), added]);
  say(`the key ${added.id} is added`);
  return added.id;
}

const sortedFirst = (keys: readonly FileKey[], id: string): FileKey[] => [
  ...keys.filter((key) => key.id === id),
  ...keys.filter((key) => key.id !== id),
];
