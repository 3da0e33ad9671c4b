import { expect, it } from 'vitest'
import { both, browser, card, describePage, FAILED, open, server } from './scripted-page.ts'
import { ACCOUNT, type Asked, EVM_A, EVM_B, evmItem, startScriptedServer } from './scripted-server.ts'
import { openPage } from './watched-page.ts'

describePage('the page in a browser', () => {
  it('shows each chain as soon as it is there, and never a waiting one as zero', async () => {
    let asked: Asked | undefined
    server.onAsk((one) => {
      asked = one
      one.send(evmItem(EVM_A, 3))
    })
    const { page, settled, text, until } = await open()
    await page.fill('#addresses', ACCOUNT)
    await page.click('#show')
    await page.waitForSelector(`${card('Alpha Chain')}[data-state="full"]`)
    expect(await text(`${card('Alpha Chain')} .sum`)).toBe('$6.00')
    expect(await page.getAttribute(card('Beta'), 'aria-busy')).toBe('true')
    expect(await page.locator(`${card('Beta')} .skeleton`).count()).toBe(1)
    expect(await text('#total-title')).toBe('Total so far')
    expect(await text('#completeness')).toBe('1 of 2 readings answered')
    asked?.send(evmItem(EVM_B, 2))
    asked?.end()
    await settled()
    expect([await text('#total-title'), await text('#total')]).toEqual(['Total', '$10.00'])
    expect(await text('#change')).toBe('+$5.00 (+100.00 %) in 24 hours')
    await until(`document.querySelector('#live').textContent.startsWith('Total: $10.00')`)
  })

  it('leads to the explorer of a chain that has one, and tells it nothing of this page', async () => {
    const explorer = 'https://explorer.example/chain'
    const own = await startScriptedServer({
      chains: [
        { caip2Id: EVM_A, name: 'Alpha Chain', testnet: false, explorer },
        { caip2Id: EVM_B, name: 'Beta', testnet: false },
      ],
    })
    own.onAsk(({ send, end }) => {
      for (const id of [EVM_A, EVM_B]) send(evmItem(id, 3))
      end()
    })
    const view = await openPage(browser, own.url)
    await view.show([ACCOUNT])
    const link = view.page.locator(`${card('Alpha Chain')} header a`)
    expect(await link.getAttribute('href')).toBe(explorer)
    expect(await link.getAttribute('rel')).toBe('noreferrer')
    expect(await link.textContent()).toBe('Explorer of Alpha Chain, in a new tab')
    expect(await view.page.locator(`${card('Beta')} header a`).count()).toBe(0)
    await view.close()
    await own.close()
  })

  it('says what failed on the chain and in the sum, and asks again only for that', async () => {
    const bodies: Asked['body'][] = []
    server.onAsk(({ body, send, end }) => {
      bodies.push(body)
      if (bodies.length === 1) send(evmItem(EVM_A, 3))
      send(bodies.length === 1 ? FAILED : evmItem(EVM_B, 1))
      end()
    })
    const { page, show, settled, text, until } = await open()
    await show([ACCOUNT])
    expect([await text('#total-title'), await text('#total')]).toEqual(['Incomplete total', 'at least $6.00'])
    expect(await text('#completeness')).toContain('1 of 2 readings failed')
    expect(await text(`${card('Beta')} .sum`)).toBe('could not be read')
    expect(await text(`${card('Beta')} .error`)).toBe('Could not be read: no upstream')
    await page.click(`${card('Beta')} .retry`)
    await until(`document.querySelector('#total').textContent === '$8.00'`)
    await settled()
    expect(bodies.map(({ data }) => data.map(({ references }) => references))).toEqual([[['1', '2']], [['2']]])
    expect(await text('#total-title')).toBe('Total')
  })

  it('waits for what was asked again while the first stream goes on and ends', async () => {
    const all: Asked[] = []
    server.onAsk((one) => void all.push(one))
    const { page, settled, text, until } = await open()
    await page.fill('#addresses', ACCOUNT)
    await page.click('#show')
    await expect.poll(() => all.length).toBe(1)
    all[0]?.send(FAILED)
    await page.click(`${card('Beta')} .retry`)
    await expect.poll(() => all.length).toBe(2)
    all[0]?.send(evmItem(EVM_A, 3))
    all[0]?.end()
    await page.waitForSelector(`${card('Alpha Chain')}[data-state="full"]`)
    await until(`document.querySelector('#completeness').textContent === '1 of 2 readings answered'`)
    expect(await page.getAttribute(card('Beta'), 'data-state')).toBe('waiting')
    all[1]?.send(evmItem(EVM_B, 1))
    all[1]?.end()
    await settled()
    expect(await text('#total')).toBe('$8.00')
  })

  it.each<[string, (asked: Asked) => void, string]>([
    ['a stream that is cut', ({ send, end }) => [send(evmItem(EVM_A, 3)), end()], 'the stream ended before'],
    ['an internal error', ({ send, end }) => [send({ error: 'INTERNAL_ERROR' }), end()], 'the stream ended before'],
    ['a busy server', ({ refuse }) => refuse(503, {}, { 'retry-after': '7' }), 'busy (503). Try again in 7 s'],
    ['a refusal', ({ refuse }) => refuse(400, { issues: [{ message: 'too <b>many' }] }), '(400): too <b>many'],
  ])('%s is an error of every chain that got no answer', async (_name, answer, words) => {
    server.onAsk(answer)
    const { show, text } = await open()
    await show([ACCOUNT])
    expect(await text(`${card('Beta')} .sum`)).toBe('could not be read')
    expect(await text(`${card('Beta')} .error`)).toContain(words)
    expect(await text('#total')).not.toContain('$0.00')
    expect(await text('#total-title')).toBe('Incomplete total')
  })

  it('coins without a price make the sum incomplete, not smaller', async () => {
    const token = { name: 'T', symbol: 'T', type: 'erc20', decimals: 0, address: '0xaa', balance: '5' }
    const { balances, ...rest } = evmItem(EVM_B, 4)
    const { totalBalanceInCurrency: _none, ...unvalued } = balances
    server.onAsk(({ send, end }) => {
      send(evmItem(EVM_A, 3, [token]))
      send({ ...rest, balances: unvalued })
      end()
    })
    const { show, text } = await open()
    await show([ACCOUNT])
    expect(await text('#total')).toBe('at least $14.00')
    expect(await text('#completeness')).toBe(
      '1 account has coins whose price is not known. 1 holding has no price and is not in the sum.',
    )
  })

  it('what two signers hold together, or a key and its address, is said to be in the sum for each', async () => {
    const chain = { caip2Id: 'avax:p', name: 'P-Chain', testnet: false, letter: 'P' as const }
    const own = await startScriptedServer({ chains: [chain] })
    const [one, other] = ['q', 'p'].map((letter) => `P-avax1${letter.repeat(38)}`) as [string, string]
    const key = `xpub${'6'.repeat(107)}`
    const asked: unknown[] = []
    let multi = '0'
    own.onAsk(({ body, send, end }) => {
      const items = body.data as { addressDetails?: { id: string }[]; extendedPublicKeyDetails?: { id: string }[] }[]
      const wallets = items.flatMap(({ addressDetails = [] }) => addressDetails)
      const extendedPublicKeyDetails = items.flatMap(({ extendedPublicKeyDetails: keys = [] }) => keys)
      asked.push(extendedPublicKeyDetails)
      for (const { id } of [...wallets, ...extendedPublicKeyDetails]) {
        const { balances } = evmItem('avax:p', 1)
        const categories = { unlockedUnstakedMultiSig: multi }
        send({
          caip2Id: 'avax:p',
          networkType: 'pvm',
          id,
          balances: { ...balances, categories },
          currency: 'usd',
          error: null,
        })
      }
      end()
    })
    const page = await openPage(browser, own.url)
    const sentence = 'What several of these own together counts in full for each of them.'
    const told = async (accounts: string[]): Promise<string> => {
      await page.show(accounts)
      await page.settled()
      return page.text('#completeness')
    }
    try {
      expect(await told([one, other])).toBe('All 2 readings answered.')
      multi = '500000000000000000'
      expect(await told([one, other])).toBe(`All 2 readings answered. ${sentence}`)
      expect(await page.text('#total')).toBe('$4.00')
      expect(await told([one])).toBe('All 1 readings answered.')
      multi = '0'
      expect(await told([one, key])).toContain(sentence)
      expect(asked.at(-1)).toEqual([{ id: key, extendedPublicKey: key }])
      expect(await told([key])).not.toContain(sentence)
    } finally {
      await page.close()
      await own.close()
    }
  })

  it('names that strangers chose are text, on the narrowest phone, too', async () => {
    const html = '<img src=x onerror="document.title=1">'
    const names = [html, 'W'.repeat(4_000), '\u202egnp.exe\u202c', '<script>alert(1)</script>']
    const tokens = names.map((name, at) => ({
      name,
      symbol: name,
      type: 'erc20',
      decimals: at === 1 ? 0 : 255,
      address: `0x${at}`,
      balance: '9'.repeat(78),
      scanResult: 'Malicious',
      logoUri: 'https://example.org/track.png',
    }))
    server.onAsk(({ send, end }) => {
      send(evmItem(EVM_A, 3, tokens))
      send({ ...FAILED, error: `[x] ${html} ${'e'.repeat(3_000)}` })
      end()
    })
    const { page, show, complaints, asked } = await open({ viewport: { width: 360, height: 740 } })
    await show([ACCOUNT])
    expect(await page.locator('.row .symbol').allTextContents()).toEqual(['COIN', ...names])
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.title()).toBe('Firn: portfolio')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(complaints).toEqual([])
    expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([])
  })

  it('keeps what it shows behind the # of its address: reload shows it, no server hears it', async () => {
    server.onAsk(both)
    const { page, show, settled, asked, text } = await open()
    await page.selectOption('#currency', 'eur')
    await show([ACCOUNT])
    expect(new URL(page.url()).hash).toContain(ACCOUNT)
    await page.reload()
    await settled()
    expect(await page.inputValue('#addresses')).toBe(ACCOUNT)
    expect(await text('#total')).toBe('€6.00')
    const heard = asked.map((url) => new URL(url)).map(({ pathname, search }) => pathname + search)
    expect(heard.filter((one) => one.includes(ACCOUNT) || one.includes('?'))).toEqual([])
  })

  it('a private key or a seed phrase goes nowhere', async () => {
    server.onAsk(both)
    const { page, show, text } = await open()
    const key = `0x${'4c'.repeat(32)}`
    const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    await show([ACCOUNT, key, phrase])
    expect(await text('#unknown')).toContain('private key or a seed phrase')
    expect(await page.inputValue('#addresses')).toBe(ACCOUNT)
    expect(`${page.url()} ${await text('body')}`).not.toMatch(/4c4c|sausage/)
  })

  it.each([
    ['of a test network', `tprv8Zgx${'N'.repeat(100)}`],
    ['of a segwit wallet', `zprvAdG4${'i'.repeat(100)}`],
    ['of Bitcoin test, by itself', `cNJFgo1d${'r'.repeat(44)}`],
    ['of Solana', `4Z7cXSye${'N'.repeat(80)}`],
    ['of Solana as a file', `[${Array.from({ length: 64 }, (_, at) => at + 100).join(', ')}]`],
    [
      'as words, the first as phones write it',
      'Legal winner thank year wave sausage worth useful legal winner thank yellow',
    ],
    ['as words in capitals', 'LEGAL WINNER THANK YEAR WAVE SAUSAGE WORTH USEFUL LEGAL WINNER THANK YELLOW'],
    ['as words of another language', Array.from({ length: 12 }, () => 'あいこくしん').join('\u3000')],
  ])('a private key %s goes nowhere, either', async (_, key) => {
    server.onAsk(both)
    const { page, show, text } = await open()
    await show([ACCOUNT, key])
    expect(await text('#unknown')).toContain('private key or a seed phrase')
    expect(await page.inputValue('#addresses')).toBe(ACCOUNT)
    expect(`${page.url()} ${await text('body')}`).not.toContain(key.slice(0, 12))
  })

  it('asks test networks instead of main ones, never both', async () => {
    const references: string[] = []
    server.onAsk(({ body, end }) => {
      references.push(...body.data.flatMap((item) => item.references))
      end()
    })
    const { page, show, settled } = await open()
    await show([ACCOUNT])
    expect(references.splice(0)).toEqual(['1', '2'])
    await page.check('#testnet')
    await page.waitForSelector(card('Alpha Test'))
    await settled()
    expect(references).toEqual(['3'])
  })

  it('shows the progress of the index', async () => {
    const moving = { phase: 'catching-up', height: '1500', tip: '6000', blocksPerSecond: 50, etaSeconds: 90 }
    const streams = [
      { name: 'mainnet:P', ...moving },
      // Neither has read a block: a tip of 0 is not reached by that.
      { name: EVM_B, phase: 'starting', tip: '0' },
      { name: EVM_A, phase: 'failing', failures: 3 },
    ]
    server.setIndex({ enabled: true, role: 'starting', streams: [] })
    const { page, text, until } = await open()
    await until(`document.querySelector('#index-note').textContent === 'The index is starting.'`)
    server.setIndex({ enabled: true, role: 'leading', streams })
    await page.waitForSelector('.stream')
    server.setIndex({ enabled: false, streams: [] })
    expect(await text('.stream:first-child')).toMatch(/P-Chain.*block 1,500 of 6,000.*50 blocks\/s · about 2 min left/)
    expect(await page.getAttribute('.stream progress', 'value')).toBe('250')
    expect(await text('.stream:nth-child(2)')).toMatch(/no block yet, tip 0/)
    expect(await page.getAttribute('.stream:nth-child(2) progress', 'value')).toBe('0')
    expect(await text('.stream:last-child')).toMatch(/Alpha Chain.*no block yet.*failing.*3 failures/)
  })

  it('asks for the credential that the server demands', async () => {
    const guarded = await startScriptedServer({ credentialHeader: 'x-firebase-appcheck' })
    guarded.onAsk((asked) => (asked.headers['x-firebase-appcheck'] === 'secret' ? both(asked) : asked.refuse(401, {})))
    const { page, show, text, until, close } = await openPage(browser, guarded.url)
    await show([ACCOUNT])
    expect(await text('#trouble')).toBe('The server does not accept the credential.')
    expect(await page.evaluate('document.activeElement.id')).toBe('credential')
    await page.keyboard.type('secret')
    await page.keyboard.press('Enter')
    await until(`document.querySelector('#total').textContent === '$6.00'`)
    expect(page.url()).not.toContain('secret')
    await close()
    await guarded.close()
  })
})
