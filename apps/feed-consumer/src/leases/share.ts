/** A fair part of the duties: all of them together cover everything, however they are rounded. */
export const fairShare = (duties: number, replicas: number): number => Math.ceil(duties / Math.max(1, replicas));
