export { TRANSPARENCY } from './capability.ts';
export { leafOf } from './log-leaf.ts';
export { MerkleTree } from './merkle-tree.ts';
