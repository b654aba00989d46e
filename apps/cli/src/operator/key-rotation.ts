import type { KeyStep } from '@codase/contracts';

/** One key of a list: its text in the file, and the id that replicas report. */
export interface FileKey {
  id: string;
  text: string;
}

/** A list of keys in a file. The platform writes with the first key, and reads with all of them. */
export interface KeyFile {
  read(): FileKey[];
  write(keys: readonly FileKey[]): void;
  create(): FileKey;
}

/** How far a rotation has come. It is kept beside the file, so that an interrupted rotation can continue. */
export interface Progress {
  new_id: string;
  /** The time since which every replica writes with the new key. */
  first_since?: string;
}

export interface ProgressFile {
  read(): Progress | undefined;
  write(progress: Progress): void;
  remove(): void;
}

/** The list of keys that a replica reports, in its order. `ids` is undefined for a replica that should exist and does not answer. */
export interface ReplicaKeys {
  service: string;
  /** Whether the replica writes with the first key of its list. Otherwise it only reads, with all of them. */
  writes: boolean;
  ids: readonly string[] | undefined;
}

/** True, or in words why it is not true yet. */
export type Answer = true | string;

export interface Rotation {
  file: KeyFile;
  progress: ProgressFile;
  replicas(): Promise<readonly ReplicaKeys[]>;
  /** Returns in words what still needs the old keys. Undefined when nothing does. */
  inUse(first_since: Date): Promise<string | undefined>;
  /** Asks again until `isTrue` returns true, or gives up with an error that says what it waited for. */
  until(waitsFor: string, isTrue: () => Promise<Answer>): Promise<void>;
  /** Records in the audit what is about to be done. */
  record(step: KeyStep, key_id: string): Promise<void>;
  say(line: string): void;
  now(): Date;
}

/**
 * Adds a key, puts it first when every replica has read it, and removes the other keys when nothing needs them any more. Each step may be
 * repeated: after an interruption the rotation begins from the top again, and finds what is already done.
 */
export async function rotateKey(rotation: Rotation): Promise<string> {
  const { file, progress } = rotation;
  const new_id = begun(rotation) ?? (await begin(rotation));
  await putFirst(rotation, new_id);
  const first_since = progress.read()?.first_since ?? rotation.now().toISOString();
  progress.write({ new_id, first_since });
  await rotation.until('nothing of the old keys is in use', async () => (await rotation.inUse(new Date(first_since))) ?? true);
  const old = file.read().filter(({ id }) => id !== new_id);
  for (const { id } of old) await rotation.record('removed', id);
  file.write(file.read().filter(({ id }) => id === new_id));
  for (const { id } of old) rotation.say(`the key ${id} is removed`);
  await everyReplica(rotation, 'has the new key alone', {
    fits: (ids) => old.every(({ id }) => !ids.includes(id)),
    writes: (ids) => ids.length === 1 && ids[0] === new_id,
  });
  progress.remove();
  return new_id;
}

/** Describes the next step, for a dry run. */
export function nextStep({ file, progress }: Pick<Rotation, 'file' | 'progress'>): string {
  const keys = file.read().map(({ id }) => id);
  const known = progress.read();
  if (!known || !keys.includes(known.new_id)) return 'add a new key';
  if (keys[0] !== known.new_id) return `put the key ${known.new_id} first, when every replica has read it`;
  return keys.length > 1 ? 'remove the old keys, when nothing of them is in use' : 'see that every replica has forgotten the old keys';
}

/** Returns the new key of an interrupted rotation. Undefined when it is not in the file either: no replica has seen it then. */
function begun({ file, progress, say }: Rotation): string | undefined {
  const known = progress.read();
  if (!known || !file.read().some(({ id }) => id === known.new_id)) return undefined;
  say(`going on with the key ${known.new_id}`);
  file.write(file.read()); // writes once more, because the interruption may have left another file without the key
  return known.new_id;
}

/** Adds a new key. It changes nothing before the replicas have shown that they read this file. */
async function begin(rotation: Rotation): Promise<string> {
  const { file, progress, say } = rotation;
  const ids = file.read().map(({ id }) => id);
  await everyReplica(rotation, 'has the keys of this file (name the one that it reads; a list in a variable is changed by a restart)', {
    fits: (reported) => ids.every((id) => reported.includes(id)),
    writes: (reported) => reported.join(' ') === ids.join(' '),
  });
  const added = file.create();
  await rotation.record('added', added.id);
  progress.write({ new_id: added.id });
  file.write([...file.read(), added]);
  say(`the key ${added.id} is added`);
  return added.id;
}

async function putFirst(rotation: Rotation, new_id: string): Promise<void> {
  const { file, say } = rotation;
  const fits = (ids: readonly string[]) => ids.includes(new_id);
  await everyReplica(rotation, `has read the key ${new_id}`, { fits, writes: fits });
  if (file.read()[0]!.id !== new_id) {
    await rotation.record('first', new_id);
    file.write(sortedFirst(file.read(), new_id));
    say(`the key ${new_id} is first`);
  }
  await everyReplica(rotation, `writes with the key ${new_id}`, { fits, writes: ([first]) => first === new_id });
}

type Condition = (ids: readonly string[]) => boolean;

function everyReplica(rotation: Rotation, does: string, { fits, writes }: { fits: Condition; writes: Condition }): Promise<void> {
  return rotation.until(`every replica ${does}`, async () => {
    const behind = (await rotation.replicas()).filter((one) => one.ids === undefined || !(one.writes ? writes : fits)(one.ids));
    return behind.length === 0 || describeBehind(behind);
  });
}

function describeBehind(behind: readonly ReplicaKeys[]): string {
  const parts = [...new Set(behind.map(({ service }) => service))].flatMap((service) => {
    const own = behind.filter((one) => one.service === service);
    const silent = own.filter(({ ids }) => ids === undefined).length;
    // A replica that signs reports two lists, and may be behind with both.
    const late = Math.max(...[true, false].map((writes) => own.filter((one) => one.ids !== undefined && one.writes === writes).length));
    return [
      ...(silent > 0 ? [`${service}: ${replicas(silent, 'does not answer', 'do not answer')}`] : []),
      ...(late > 0 ? [`${service}: ${replicas(late, 'has not yet', 'have not yet')}`] : []),
    ];
  });
  return parts.join(', ');
}

const replicas = (count: number, one: string, several: string): string => `${count} ${count === 1 ? one : several}`;

const sortedFirst = (keys: readonly FileKey[], id: string): FileKey[] => [
  ...keys.filter((key) => key.id === id),
  ...keys.filter((key) => key.id !== id),
];
