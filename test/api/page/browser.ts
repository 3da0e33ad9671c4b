import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const found = PLACES.find((place) => existsSync(place))

/** Why tests in a browser cannot run here; undefined = they can. Where everything must be tested that is an error. */
export function whyNoBrowser(): string | undefined {
  if (found !== undefined) return undefined
  const why = 'no Chromium is installed (Debian: apt-get install chromium)'
  if (process.env['CI']) throw new Error(why)
  return why
}

/** A headless Chromium that can reach nothing but 127.0.0.1. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(found === undefined ? {} : { executablePath: found }),
    // Its sandbox needs rights that containers do not give; it shows only our own page.
    chromiumSandbox: false,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-dev-shm-usage'],
  })
}
