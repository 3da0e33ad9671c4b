import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { PATIENCE_MS, until } from '../../support/waiting/until.ts'

export interface WatchedPage {
  page: Page
  /** Every URL that the browser asked for, and every complaint: policy violations, errors, console errors. */
  asked: string[]
  complaints: string[]
  /** Fills in addresses and asks; resolves when every reading is answered. */
  show(addresses: readonly string[]): Promise<void>
  settled(): Promise<void>
  /** Resolves when the expression is true in the page. */
  until(expression: string): Promise<void>
  text(selector: string): Promise<string>
  close(): Promise<void>
}

/** Opens the page and writes down whatever it does that it should not. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Until the database is open, the index has no status to show; the browser names every such answer.
    const opening = message.location().url.endsWith('/page/index.json') && message.text().includes('503')
    if (/error|warning/.test(message.type()) && !opening) complaints.push(message.text())
  })
  // The page's policy forbids eval, by which the driver's own waiting works.
  const untilTrue = async (expression: string): Promise<void> => {
    await until(() => page.evaluate<boolean>(expression), expression, 20)
  }
  const settled = () =>
    untilTrue(`!document.querySelector('#portfolio').hidden && document.querySelector('#reading').hidden`)
  await page.goto(url)
  await untilTrue(`document.querySelector('option') !== null`)
  return {
    page,
    asked,
    complaints,
    settled,
    until: untilTrue,
    async show(addresses) {
      await page.fill('#addresses', addresses.join('\n'))
      await page.click('#show')
      await settled()
    },
    text: async (selector) => (await page.textContent(selector)) ?? '',
    close: () => context.close(),
  }
}
