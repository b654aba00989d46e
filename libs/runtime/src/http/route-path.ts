/** The path of a contract as routers write it. */
export const routePath = ({ path }: { path: string }): string => path.replace(/{(\w+)}/g, ':$1');
