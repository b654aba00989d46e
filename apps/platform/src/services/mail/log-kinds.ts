import { logKinds } from '../../kit/log-kinds.ts';

export const LOG_KINDS = logKinds('mail_given_up');
