import { modeFault } from './file-mode.ts';

const fault = (mode: number, { uid = 1000 } = {}) => modeFault('shop.pem', { mode: 0o100000 | mode, uid }, 1000);

describe('who may read a file of a key', () => {
  it.each([0o600, 0o400, 0o700])('is its owner alone: %d', (mode) => {
    expect(fault(mode)).toBeUndefined();
  });

  it.each([0o640, 0o604, 0o660, 0o602, 0o644, 0o610])('is nobody else: %d', (mode) => {
    expect(fault(mode)).toMatch(/^others than its owner have rights on shop\.pem \(mode 6..\): chmod 600 it$/);
  });

  it('is the group too where the file is of another owner, as clusters mount it, and it may not write', () => {
    expect(fault(0o440, { uid: 0 })).toBeUndefined();
    expect(fault(0o460, { uid: 0 })).toContain('chmod 440');
    expect(fault(0o444, { uid: 0 })).toContain('(mode 444): chmod 440');
  });

  it('is not in the mode where there are no user ids', () => {
    expect(modeFault('shop.pem', { mode: 0o666, uid: 0 }, undefined)).toBeUndefined();
  });
});
