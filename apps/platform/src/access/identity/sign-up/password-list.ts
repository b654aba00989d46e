// A file of its own, to be loaded when it is needed: a bundle knows the names of this package where they are imported by name alone.
export { dictionary } from '@zxcvbn-ts/language-common';
