import { Chromium, findChromium, World } from '@codase/testing';

const found = findChromium();
const PATH = '/api/company-data/whoami';

if (found) {
  describe(`the API explorer in ${found.version} @spec D1-4.1`, () => {
    let world: World;
    let browser: Chromium;
    beforeAll(async () => {
      world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
      browser = await Chromium.open(found.command);
    });
    afterAll(async () => {
      await browser?.close();
      await world?.close();
    });

    const clicks = async (selector: string) => {
      await browser.until(`block.querySelector('${selector}') !== null`);
      await browser.evaluate(`block.querySelector('${selector}').click()`);
    };
    const reads = (selector: string) => browser.evaluate(`block.querySelector('${selector}').innerText`);

    it("calls an operation of a region and shows the region's answer", async () => {
      await browser.goesTo(`${world.frontDoorUrl}/docs`);
      await browser.until(`document.querySelector('[data-tag="service data"]') !== null`);
      await browser.evaluate(`document.querySelector('[data-tag="service data"]').click()`);
      await browser.until(`document.querySelector('[data-path="${PATH}"]') !== null`);
      await browser.evaluate(`void (window.block = document.querySelector('[data-path="${PATH}"]').closest('.opblock'))`);
      await clicks('.opblock-summary-control');
      await clicks('.try-out__btn');
      await clicks('.execute');
      await browser.until(`block.querySelector('.live-responses-table tbody .response-col_status') !== null`);

      expect(await reads('.request-url')).toContain(`${world.regionUrl('eu')}${PATH}`);
      expect(await reads('.live-responses-table tbody .response-col_status')).toMatch(/^401/);
      expect(await reads('.live-responses-table tbody .response-col_description')).toContain('error_key');
    });
  });
} else {
  it('skips the browser test without Chromium or Chrome, and checks only that the API explorer is served', async () => {
    const world = await World.open({ units: ['front-door'] });

    expect((await fetch(`${world.frontDoorUrl}/docs`)).status).toBe(200);
    await world.close();
  });
}
