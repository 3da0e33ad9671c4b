import { expect, it } from 'vitest'
import { describePage, later, open, server } from './scripted-page.ts'
import { ACCOUNT, EVM_A, EVM_B, evmItem } from './scripted-server.ts'

describePage('a page that stays open', () => {
  it('says how old what it shows is', async () => {
    server.onAsk(({ send, end }) => {
      send(evmItem(EVM_A, 3))
      send(evmItem(EVM_B, 0))
      end()
    })
    const { page, show, settled, text, until } = await open()
    await show([ACCOUNT])
    expect(await text('#age')).toMatch(/^Asked \d+ s ago\.$/)
    expect(await page.getAttribute('#age', 'class')).not.toContain('bad')
    await page.evaluate(later(26))
    expect(await text('#age')).toBe('Asked 26 h ago: it may have changed since.')
    expect(await page.getAttribute('#age', 'class')).toContain('bad')
    await page.click('#refresh')
    await settled()
    await until(`document.querySelector('#age').textContent.startsWith('Asked 0 s ago')`)
    expect(await page.getAttribute('#age', 'class')).not.toContain('bad')
  })

  it('keeps the age of what was read first where only what failed is asked again', async () => {
    let times = 0
    server.onAsk(({ send, end }) => {
      times += 1
      if (times === 1) send(evmItem(EVM_A, 3))
      if (times === 2) send(evmItem(EVM_B, 1))
      end()
    })
    const { page, show, settled, text, until } = await open()
    await show([ACCOUNT])
    await page.evaluate(later(2))
    await page.click('#retry')
    await until(`document.querySelector('#total').textContent === '$8.00'`)
    await settled()
    expect(await text('#age')).toContain('Asked 2 h ago')
  })
})
