import { expect, it } from 'vitest'
import { gorillaCall, nodeAt, startFront, told } from '../fake-nodes.ts'

/** Large enough for its memory to be used again. */
const padded = (call: string, bytes: number): string => call + ' '.repeat(bytes - call.length)

it('a node that lacks a transaction is sent nobody else\u2019s request when it is asked again', async () => {
  const front = await startFront(2)
  const [late, first] = [nodeAt(front, 0), nodeAt(front, 1)]
  const status = () => front.post('/ext/bc/X', padded(gorillaCall('avm.getTxStatus', '{"txID":"x"}'), 400_000))
  for (const node of front.nodes)
    node.answer = (asked) => (asked.method === 'avm.getTxStatus' ? told(asked, { status: 'Processing' }) : undefined)
  await status()
  first.answer = (asked) => (asked.method === 'avm.getTxStatus' ? told(asked, { status: 'Accepted' }) : undefined)
  let isCut = true
  late.answer = (asked) => {
    if (asked.method !== 'avm.getTxStatus') return undefined
    if (!isCut) return told(asked, { status: 'Processing' })
    isCut = false
    return 'cut'
  }
  expect((await status()).text).toContain('"Accepted"')
  // Of another client: done twice it would be twice as much.
  const other = padded(gorillaCall('wallet.send', '{"password":"of somebody else"}'), 300_000)
  await front.post('/ext/bc/X/wallet', other)
  late.asked.length = 0
  // Slow now, so that the other would be asked first again: that is when it is looked at. Each for another address, as what
  // is kept is no occasion.
  first.answer = async () => void (await new Promise((resolve) => setTimeout(resolve, 400)))
  let address = 0
  const balance = () =>
    front.post('/ext/bc/X', gorillaCall('avm.getBalance', `{"address":"x${address++}","assetID":"AVAX"}`))
  await expect.poll(async () => (await balance()) && late.asked.length).toBeGreaterThan(0)
  expect(late.asked.filter(({ body }) => body.includes('of somebody else'))).toEqual([])
  expect(late.asked.map(({ method }) => method)).toContain('avm.getTxStatus')
})
