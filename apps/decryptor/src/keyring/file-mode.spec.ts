import { modeFault } from './file-mode.ts';

const fault = (mode: number, { uid = 1000 } = {}) => modeFault('shop.pem', { mode: 0o100000 | mode, uid }, 1000);

describe('file mode of a key file', () => {
  it.each([0o600, 0o400, 0o700])('is accepted when only the owner has rights: %d', (mode) => {
    expect(fault(mode)).toBeUndefined();
  });

  it.each([0o640, 0o604, 0o660, 0o602, 0o644, 0o610])('is rejected when others have rights: %d', (mode) => {
    expect(fault(mode)).toMatch(/^others than its owner have rights on shop\.pem \(mode 6..\): chmod 600 it$/);
  });

  it('may let the group read, but not write, a file of another owner, as clusters mount it', () => {
    expect(fault(0o440, { uid: 0 })).toBeUndefined();
    expect(fault(0o460, { uid: 0 })).toContain('chmod 440');
    expect(fault(0o444, { uid: 0 })).toContain('(mode 444): chmod 440');
  });

  it('is not checked on a system without user ids', () => {
    expect(modeFault('shop.pem', { mode: 0o666, uid: 0 }, undefined)).toBeUndefined();
  });
});
