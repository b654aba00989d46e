/** Returns the blocks of a PEM text, without the comments between them. */
export const pemBlocks = (text: string): string[] => text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
