import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createStage } from '../../../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

const ACCOUNT = `0x${'1'.repeat(40)}`
const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }

/** A balance stream over HTTP/1.0 as nginx asks by itself; `end` = how its connection ended. */
function ask(url: string, references: readonly string[]) {
  const body = JSON.stringify({ currency: 'usd', data: [{ namespace: 'eip155', references, addresses: [ACCOUNT] }] })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const seen = { text: '' }
  socket.on('data', (part) => {
    seen.text += part
  })
  const end = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once('end', () => resolve('ended'))
  })
  socket.write('POST /v1/balance/get-balances HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n')
  socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  return { seen, end }
}

async function serve() {
  const [quick, silent] = [await stage.upstream(), await stage.upstream({ faults: { hang: 'headers' } })]
  const chain = (name: string, url: string) => ({ name, upstreams: [{ url }], native, blockTimeMs: 1_000 })
  return stage.serve({
    http: { shutdownGraceMs: 200 },
    chains: { evm: { 1: chain('Quick', quick.url), 2: chain('Silent', silent.url) } },
  })
}

it('a stream over HTTP/1.0 that is cut does not look whole: its connection is reset', async () => {
  const { app, url } = await serve()
  const { seen, end } = ask(url, ['1', '2'])
  await expect.poll(() => seen.text).toContain('"caip2Id":"eip155:1"')
  await app.close()
  expect(await end).toBe('ECONNRESET')
  expect(seen.text).not.toContain('eip155:2')
})

it('one that is whole ends with its connection', async () => {
  const { url } = await serve()
  const { seen, end } = ask(url, ['1'])
  expect(await end).toBe('ended')
  expect(seen.text).toContain('"caip2Id":"eip155:1"')
})
