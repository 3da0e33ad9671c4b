import { expect, it } from 'vitest'
import { describePage, FAILED, open, server } from './scripted-page.ts'
import { ACCOUNT, EVM_A, evmItem } from './scripted-server.ts'

describePage('the page', () => {
  it('works by keyboard alone, with the focus always to be seen', async () => {
    server.onAsk(({ send, end }) => [send(evmItem(EVM_A, 3)), send(FAILED), end()])
    const { page, settled } = await open()
    const visited: string[] = []
    const tab = async (): Promise<void> => {
      await page.keyboard.press('Tab')
      const [name, outline] = await page.evaluate<[string, number]>(`(() => {
        const at = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(at)
        return [at.id || at.className || at.textContent, outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)]
      })()`)
      expect(outline, name).toBeGreaterThanOrEqual(2)
      visited.push(name)
    }
    while (visited.at(-1) !== 'addresses' && visited.length < 30) await tab()
    await page.keyboard.type(ACCOUNT)
    for (let at = 0; at < 4; at++) await tab()
    expect(visited).toEqual([
      'Balances',
      'Chain data',
      'Nodes',
      'addresses',
      'currency',
      'testnet',
      'untrusted',
      'show',
    ])
    await page.keyboard.press('Enter')
    await settled()
    visited.length = 0
    while (visited.at(-1) !== 'OpenRPC' && visited.length < 30) await tab()
    expect(visited.slice(0, 4)).toEqual(['refresh', 'retry', 'copy', 'retry'])
    expect(visited.at(-1)).toBe('OpenRPC')
  })

  it('breaks no sum before its last digits where there is room for it in a line of its own', async () => {
    server.onAsk(({ send, end }) => [send(evmItem(EVM_A, 1_234_567_890)), end()])
    const { page, show } = await open({ viewport: { width: 320, height: 740 } })
    await show([ACCOUNT])
    const lines = `(() => {
      const text = document.createRange()
      text.selectNodeContents(document.querySelector('.card-head .sum'))
      return [text.toString(), text.getClientRects().length]
    })()`
    expect(await page.evaluate(lines)).toEqual(['$2,469,135,780.00', 1])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })

  it('is dark, still and printable when asked to be', async () => {
    server.onAsk(({ send }) => send(evmItem(EVM_A, 3)))
    const { page } = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await page.fill('#addresses', ACCOUNT)
    await page.press('#addresses', 'Control+Enter')
    await page.waitForSelector('.skeleton')
    const style = (selector: string, name: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
    const channels = (rgb: string): number[] => (rgb.match(/\d+/g) ?? []).map(Number)
    expect(Math.min(...channels(await style('body', 'color')))).toBeGreaterThan(200)
    expect(Math.max(...channels(await style('body', 'backgroundColor')))).toBeLessThan(40)
    expect(await style('.skeleton', 'animationName')).toBe('none')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(channels(await style('body', 'backgroundColor'))).toEqual([255, 255, 255])
    expect([await page.isVisible('#ask'), await page.isVisible('#total')]).toEqual([false, true])
  })
})
