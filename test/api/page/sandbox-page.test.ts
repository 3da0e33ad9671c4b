import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import { type Sandbox, startSandbox } from '../../sandbox/start.ts'
import { ask } from '../../support/balances/balance-api.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { startBrowser, whyNoBrowser } from './browser.ts'
import { openPage, type WatchedPage } from './watched-page.ts'

const missing = whyNoBrowser()
if (missing) console.warn(`the page is not tested: ${missing}`)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const AVALANCHE = ['Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG', '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl']
const SHARED_MEMORY = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'

describe.skipIf(missing !== undefined)('the page over local chains of every family', () => {
  let sandbox: Sandbox
  let browser: Browser
  let view: WatchedPage
  beforeAll(async () => {
    // What a busy machine is late with is no chain that failed.
    const argv = ['--http-port', '0', '--balance-chain-deadline-ms', '120000']
    ;[sandbox, browser] = await Promise.all([startSandbox({ argv }), startBrowser()])
    // The recorded C-chain is rebuilt behind the start; page and API are to find the same.
    const addresses = sandbox.evm.accounts.slice(1, 3)
    const item = { namespace: 'eip155', addresses, references: [String(sandbox.avalanche.evmChainId)] }
    const failed = async () => (await ask(sandbox.url, { data: [item], currency: 'usd' })).filter(({ error }) => error)
    await eventually(async () => expect(await failed()).toEqual([]))
    view = await openPage(browser, `${sandbox.url}/`)
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.stop()
  })

  const holders = () => ({
    evm: sandbox.evm.accounts.slice(1, 3),
    bitcoin: [sandbox.bitcoin.accounts.bob.addresses.testnet],
    solana: Object.values(sandbox.solana.owners),
    avalanche: sandbox.avalanche.wallets.slice(0, 3).map(({ address }) => address),
  })

  it('the sums are those of the API, to the cent, and what failed is named', async () => {
    const { evm, bitcoin, solana, avalanche } = holders()
    await view.page.check('#untrusted')
    await view.show([...evm, ...bitcoin, ...solana, ...avalanche])
    const wallets = avalanche.map((address) => ({ id: address, addresses: [address] }))
    const evmChains = [sandbox.evm.chainId, sandbox.avalanche.evmChainId, sandbox.avalanche.l1?.chainId]
    const items = await ask(sandbox.url, {
      data: [
        { namespace: 'eip155', addresses: evm, references: evmChains.filter((id) => id !== undefined).map(String) },
        { namespace: 'bip122', addresses: bitcoin, references: [SANDBOX_REFERENCES.bitcoin] },
        { namespace: 'solana', addresses: solana, references: [SANDBOX_REFERENCES.solana] },
        { namespace: 'avax', addressDetails: wallets, references: AVALANCHE, filterOutDustUtxos: false },
        { namespace: 'avax', addressDetails: wallets, references: [SHARED_MEMORY] },
      ],
      currency: 'usd',
      showUntrustedTokens: true,
    })
    const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'usd' })
    const read = items.filter(({ error }) => error === null)
    const total = read.reduce((sum, { balances }) => sum + (balances.totalBalanceInCurrency ?? 0), 0)
    expect(total).toBeGreaterThan(1_000_000)
    expect((await view.text('#total')).replace('at least ', '')).toBe(money.format(total))
    const sumOf = (caip2Id: string): string =>
      money.format(
        read.reduce((sum, one) => sum + (one.caip2Id === caip2Id ? (one.balances.totalBalanceInCurrency ?? 0) : 0), 0),
      )
    expect(await view.text('article[aria-label="Sandbox Bitcoin"] .sum')).toBe(
      sumOf(`bip122:${SANDBOX_REFERENCES.bitcoin}`),
    )
    expect(await view.text('article[aria-label="Recorded network P-Chain"] .sum')).toBe(sumOf(`avax:${AVALANCHE[0]}`))
    const failed = items.length - read.length
    expect(await view.page.locator('.account .error').count()).toBe(failed)
    if (failed > 0) expect(await view.text('#completeness')).toContain(`${failed} of ${items.length} readings failed`)
  })

  it('staked, locked and exported parts stand beside the balance', async () => {
    const parts = (
      await view.page.locator('article[aria-label="Recorded network P-Chain"] .parts').allTextContents()
    ).join(' ')
    for (const word of ['Available', 'Locked', 'Staked', 'import from']) expect(parts).toContain(word)
  })

  it('broke no rule of its policy and asked nobody else', () => {
    expect(view.complaints).toEqual([])
    expect(view.asked.filter((url) => !url.startsWith(`${sandbox.url}/`))).toEqual([])
    expect(view.asked.length).toBeGreaterThan(15)
  })

  it('follows the index to the tip', async () => {
    await view.page.waitForSelector('.stream progress', { timeout: 100_000 })
    expect(await view.text('#streams')).toMatch(/P-Chain, test network.*block/)
  })

  it.each(['light', 'dark'] as const)('axe finds nothing to object to, %s', async (colorScheme) => {
    await view.page.emulateMedia({ colorScheme })
    await view.page.evaluate(axe)
    const found = await view.page.evaluate<{ violations: { id: string; nodes: { target: string[] }[] }[] }>('axe.run()')
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target)}`)).toEqual(
      [],
    )
  })

  it('fits a phone of 360 px', async () => {
    await view.page.setViewportSize({ width: 360, height: 740 })
    expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
