/** The folders of the key files. */
export interface Folders {
  pems: string;
  passphrases: string;
  /** Whether files that others can read are refused; otherwise they are only noted. */
  strict: boolean;
}

/** The part of a file's status that is checked here. */
interface FileStatus {
  mode: number;
  uid: number;
}

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_READS = 0o040;

/**
 * Returns what is wrong with the rights on a key file, in a sentence that says how to correct it. The group may read a file of another
 * owner: clusters mount secrets as files of root, readable by the group of the one user that the process runs as.
 */
export function modeFault(file: string, { mode, uid }: FileStatus, ownUid: number | undefined): string | undefined {
  if (ownUid === undefined) return undefined; // Windows: rights are not in the mode
  const isOurs = uid === ownUid;
  const forbidden = isOurs ? OTHERS | GROUP : OTHERS | (GROUP & ~GROUP_READS);
  if ((mode & forbidden) === 0) return undefined;
  const written = (mode & 0o777).toString(8).padStart(3, '0');
  return `others than its owner have rights on ${file} (mode ${written}): chmod ${isOurs ? '600' : '440'} it`;
}
