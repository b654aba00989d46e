import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { mountSecrets } from './container.ts';

/** The test's own user and group, because only root may give a file to others. */
const OWN = { uid: process.getuid!(), gid: process.getgid!() };

describe('the mounted secrets of a container', () => {
  it('are copies that only its user and group can read', () =>
    inTempTree({ 'secret/password': 'p', 'keys/shop.pem': 'k' }, (dir) => {
      const env = { NATS_PASSWORD_FILE: join(dir, 'secret/password'), KEYS_DIR: join(dir, 'keys'), OPS_PORT: '9' };

      expect(mountSecrets(env, join(dir, 'mounted'), OWN)).toEqual({
        NATS_PASSWORD_FILE: '/run/secrets/NATS_PASSWORD_FILE',
        KEYS_DIR: '/run/secrets/KEYS_DIR',
        OPS_PORT: '9',
      });
      expect(readFileSync(join(dir, 'mounted/NATS_PASSWORD_FILE'), 'utf8')).toBe('p');
      const { mode, uid, gid } = statSync(join(dir, 'mounted/KEYS_DIR/shop.pem'));
      expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o440, ...OWN });
    }));
});
