/** `node scripts/browser/install.ts`: brings a Chromium, if there is none, and says where it is. */
import { launchChromium } from './chromium.ts'

const browser = await launchChromium()
console.log(`Chromium ${browser.version()} starts`)
await browser.close()
