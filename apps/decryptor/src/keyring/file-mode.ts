/** Where the files of keys lie. */
export interface Folders {
  pems: string;
  passphrases: string;
  /** Whether files that others can read are refused; otherwise they are only noted. */
  strict: boolean;
}

/** As much of a file's status as is judged here. */
interface FileStatus {
  mode: number;
  uid: number;
}

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_READS = 0o040;

/**
 * What is wrong with who may read or change a file of a key, in a sentence that says how to mend it. The group may read a file that is
 * somebody else's: clusters mount secrets as root's, readable by the group of the one user that the process runs as.
 */
export function modeFault(file: string, { mode, uid }: FileStatus, ownUid: number | undefined): string | undefined {
  if (ownUid === undefined) return undefined; // Windows: rights are not in the mode
  const isOurs = uid === ownUid;
  const forbidden = isOurs ? OTHERS | GROUP : OTHERS | (GROUP & ~GROUP_READS);
  if ((mode & forbidden) === 0) return undefined;
  const written = (mode & 0o777).toString(8).padStart(3, '0');
  return `others than its owner have rights on ${file} (mode ${written}): chmod ${isOurs ? '600' : '440'} it`;
}
