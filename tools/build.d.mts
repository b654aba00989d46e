/** Builds the named project folders, or everything. Throws a BuildFault when sources do not build. */
export function build(projects?: readonly string[]): Promise<void>;

/** Sources that do not build. The message has a frame with file and line for each of them. */
export class BuildFault extends Error {}
