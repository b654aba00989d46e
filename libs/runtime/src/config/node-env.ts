import { z } from 'zod';

/** What a process runs as. A stage such as `staging` runs as production: a name that nobody checks would loosen rules by a typing error. */
export const nodeEnv = z
  .enum(['production', 'development', 'test'], 'production, development or test; a stage such as staging runs as production')
  .default('production');

export interface NodeEnv {
  NODE_ENV?: z.infer<typeof nodeEnv> | undefined;
}

/** Whether no rule is loosened: `development` and `test` alone loosen any, and what is not set counts as production. */
export const isProduction = ({ NODE_ENV }: NodeEnv): boolean => NODE_ENV !== 'development' && NODE_ENV !== 'test';
