import { expect, it } from 'vitest'
import { browser, card, describePage, later } from './scripted-page.ts'
import { ACCOUNT, type Asked, EVM_A, EVM_B, startScriptedServer } from './scripted-server.ts'
import { openPage } from './watched-page.ts'

describePage('a page that stays open', () => {
  it('asks what is served by now: a server may have been started anew since', async () => {
    const facts = {
      chains: [
        { caip2Id: EVM_A, name: 'Alpha Chain', testnet: false },
        { caip2Id: EVM_B, name: 'Beta', testnet: false },
      ],
    }
    const own = await startScriptedServer(facts)
    const references: string[] = []
    own.onAsk(({ body, end }: Asked) => {
      references.push(...body.data.flatMap((item) => item.references))
      end()
    })
    const { page, show, settled, close } = await openPage(browser, own.url)
    await show([ACCOUNT])
    expect(references.splice(0)).toEqual(['1', '2'])
    facts.chains = [
      { caip2Id: EVM_A, name: 'Alpha Chain', testnet: false },
      { caip2Id: 'eip155:4', name: 'New Chain', testnet: false },
    ]
    await page.evaluate(later(1))
    await page.click('#refresh')
    await page.waitForSelector(card('New Chain'))
    await settled()
    expect(references).toEqual(['1', '4'])
    await close()
    await own.close()
  })

  it('asks both networks for addresses of a prefix that both have, as two of one’s own may', async () => {
    const own = await startScriptedServer({
      chains: [
        { caip2Id: 'avax:p-main', name: 'Main P', testnet: false, letter: 'P' },
        { caip2Id: 'avax:p-test', name: 'Test P', testnet: true, letter: 'P' },
      ],
      prefixes: { mainnet: ['avax', 'custom'], testnet: ['fuji', 'custom'] },
    })
    const references: string[] = []
    own.onAsk(({ body, end }: Asked) => {
      references.push(...body.data.flatMap((item) => item.references))
      end()
    })
    const { page, show, settled, close } = await openPage(browser, own.url)
    await show([`P-custom1${'q'.repeat(38)}`])
    await page.check('#testnet')
    await page.waitForSelector(card('Test P'))
    await settled()
    expect(references).toEqual(['p-main', 'p-test'])
    await close()
    await own.close()
  })
})
