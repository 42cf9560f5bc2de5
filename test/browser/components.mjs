// The page of all components, in light and dark: what is compared with testdata/components. Its clock stands still.
import { context, main, stage, step } from './lib.mjs';

await main(async (browser) => {
  for (const colorScheme of ['light', 'dark']) {
    const c = await context(browser, { colorScheme, reducedMotion: 'reduce', viewport: { width: 960, height: 800 }, locale: 'en-GB', timezoneId: 'UTC' });
    const page = await c.newPage();
    await page.clock.setFixedTime(new Date('2026-03-14T09:26:53Z'));
    await page.goto(stage.url + '/components.html');
    await page.getByRole('heading', { level: 1, name: 'Components' }).waitFor();
    await page.locator('[data-painted]').waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.evaluate(() => Promise.all(['400', '500', '600'].flatMap((w) => ['Inter Variable', 'JetBrains Mono Variable'].map((f) => document.fonts.load(`${w} 16px "${f}"`)))));
    // all of it in sight at once: what is out of sight is not drawn
    await page.setViewportSize({ width: 960, height: await page.evaluate(() => document.documentElement.scrollHeight) });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: `${stage.shots}/${colorScheme}.png`, animations: 'disabled', caret: 'hide' });
    await c.close();
    step(`${colorScheme} is there`);
  }
});
