/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  codesWrong: {
    name: 'codase.second_factor.codes_wrong',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Codes of second factors that were wrong',
  },
  codesDelayed: {
    name: 'codase.second_factor.codes_delayed',
    kind: 'counter',
    unit: '{attempt}',
    what: 'Codes of second factors that were not looked at, since too many before them were wrong',
  },
  backupCodesUsed: {
    name: 'codase.second_factor.backup_codes_used',
    kind: 'counter',
    unit: '{code}',
    what: 'Backup codes that were used in place of an authenticator',
  },
  browsersTrusted: {
    name: 'codase.second_factor.browsers_trusted',
    kind: 'counter',
    unit: '{browser}',
    what: 'Browsers that users chose to trust',
  },
  codesSpared: {
    name: 'codase.second_factor.codes_spared',
    kind: 'counter',
    unit: '{sign_in}',
    what: 'Sign-ins that no code was asked for, because the browser is trusted',
  },
  unreadable: {
    name: 'codase.second_factor.unreadable',
    kind: 'gauge',
    unit: '{account}',
    what: 'Accounts whose second factor no key opens, so that they cannot sign in',
  },
  switchedOn: {
    name: 'codase.second_factor.switched_on',
    kind: 'counter',
    unit: '{account}',
    what: 'Second factors that users switched on',
  },
  switchedOff: {
    name: 'codase.second_factor.switched_off',
    kind: 'counter',
    unit: '{account}',
    what: 'Second factors that users or operators switched off',
  },
} as const;
