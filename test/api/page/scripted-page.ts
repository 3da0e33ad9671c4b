import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { startBrowser, whyNoBrowser } from './browser.ts'
import { ACCOUNT, type Asked, EVM_A, EVM_B, evmItem, startScriptedServer } from './scripted-server.ts'
import { openPage, type WatchedPage } from './watched-page.ts'

const missing = whyNoBrowser()
if (missing) console.warn(`the page is not tested: ${missing}`)

export const FAILED = {
  caip2Id: EVM_B,
  networkType: 'evm',
  id: ACCOUNT,
  balances: null,
  error: '[getEvmBalances] no upstream',
}
export const card = (name: string): string => `article[aria-label="${name}"]`
export const both = ({ send, end }: Asked): void => {
  send(evmItem(EVM_A, 3))
  send(evmItem(EVM_B, 0))
  end()
}

/** What to evaluate in a page so that it is so many hours later there. */
export const later = (hours: number): string => `(() => {
  const now = Date.now
  Date.now = () => now() + ${hours * 3_600_000}
  document.dispatchEvent(new Event('visibilitychange'))
})()`

export let browser: Browser
const opened: WatchedPage[] = []
/** The server of the page, whose answers a test decides. */
export let server: Awaited<ReturnType<typeof startScriptedServer>>

/** A page of its own, closed after the test. */
export const open = async (options?: Parameters<typeof openPage>[2]): Promise<WatchedPage> => {
  const page = await openPage(browser, server.url, options)
  opened.push(page)
  return page
}

/** Tests of the page in a real browser, over one scripted server. */
export function describePage(title: string, tests: () => void): void {
  describe.skipIf(missing !== undefined)(title, () => {
    beforeAll(async () => {
      browser = await startBrowser()
      server = await startScriptedServer()
    })
    afterEach(async () => {
      for (const { close } of opened.splice(0)) await close()
    })
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    })
    tests()
  })
}
