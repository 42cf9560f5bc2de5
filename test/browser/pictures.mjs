// A picture of each screen at three widths, in light and dark, and sheets of them to look at many at once (make pictures). HOSTLER_SCREENS=home,servers
// takes some of them, HOSTLER_SHEETS=only makes the sheets of those that are there.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { context, main, signIn, stage, step } from './lib.mjs';
import { over, screens, settled } from './places.mjs';

const widths = { wide: [1280, 860], tablet: [820, 1100], phone: [390, 844] };
const perSheet = { wide: [4, 3], tablet: [6, 2], phone: [10, 2] };
const some = process.env.HOSTLER_SCREENS?.split(',');
const chosen = (all) => Object.entries(all).filter(([name]) => !some || some.includes(name));

/** pictures opens each screen once, and takes it in each look. */
async function pictures(browser) {
  const c = await context(browser, { reducedMotion: 'reduce' });
  const page = await c.newPage();
  await signIn(page);
  const take = async (name) => {
    for (const [look, [width, height]] of Object.entries(widths)) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
        await page.screenshot({ path: `${stage.shots}/${name}-${look}-${colorScheme}.png`, animations: 'disabled' });
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  };
  const missing = [];
  for (const [name, to] of [...chosen(screens), ...chosen(over)]) {
    const [path, open] = Array.isArray(to) ? to : [to];
    try {
      await page.goto(stage.url + path);
      await settled(page);
      await open?.(page);
      await settled(page);
      await take(name);
    } catch (error) {
      missing.push(`${name}: ${error.message.split('\n')[0]}`);
    }
  }
  await c.close();
  step(`${chosen(screens).length + chosen(over).length} screens`);
  if (missing.length) throw new Error(missing.join('\n'));
}

/** sheets are pages of the pictures of one look. */
async function sheets(browser) {
  const all = (await readdir(stage.shots)).filter((f) => /-(wide|tablet|phone)-(light|dark)\.png$/.test(f)).sort();
  await mkdir(`${stage.shots}/sheets`, { recursive: true });
  const page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage();
  for (const [look, [across, down]] of Object.entries(perSheet)) for (const theme of ['light', 'dark']) {
    const files = all.filter((f) => f.endsWith(`-${look}-${theme}.png`));
    for (let i = 0; i * across * down < files.length; i++) {
      const html = `${stage.shots}/sheets/${look}-${theme}-${i + 1}.html`;
      const figures = files.slice(i * across * down, (i + 1) * across * down).map((f) => `<figure><img src="../${f}">${f.replace(/-(wide|tablet|phone)-.*/, '')}</figure>`);
      const style = `body{margin:4px;font:12px sans-serif;display:grid;gap:6px;grid-template-columns:repeat(${across},1fr)}figure{margin:0}img{width:100%;border:1px solid #999}`;
      await writeFile(html, `<style>${style}</style>${figures.join('')}`);
      await page.goto('file://' + html, { waitUntil: 'load' });
      await page.screenshot({ path: html.replace('.html', '.png'), fullPage: true });
    }
  }
  step('the sheets');
}

await main(async (browser) => {
  try {
    if (process.env.HOSTLER_SHEETS !== 'only') await pictures(browser);
  } finally {
    await sheets(browser);
  }
});
