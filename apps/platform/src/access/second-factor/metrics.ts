import { counter, gauge } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  codesWrong: counter('codase.second_factor.codes_wrong', '{attempt}', 'Codes of second factors that were wrong'),
  codesDelayed: counter(
    'codase.second_factor.codes_delayed',
    '{attempt}',
    'Codes of second factors that were not looked at, since too many before them were wrong',
  ),
  backupCodesUsed: counter('codase.second_factor.backup_codes_used', '{code}', 'Backup codes that were used in place of an authenticator'),
  browsersTrusted: counter('codase.second_factor.browsers_trusted', '{browser}', 'Browsers that users chose to trust'),
  codesSpared: counter(
    'codase.second_factor.codes_spared',
    '{sign_in}',
    'Sign-ins that no code was asked for, because the browser is trusted',
  ),
  unreadable: gauge(
    'codase.second_factor.unreadable',
    '{account}',
    'Accounts whose second factor no key opens, so that they cannot sign in',
  ),
  switchedOn: counter('codase.second_factor.switched_on', '{account}', 'Second factors that users switched on'),
  switchedOff: counter('codase.second_factor.switched_off', '{account}', 'Second factors that users or operators switched off'),
};
