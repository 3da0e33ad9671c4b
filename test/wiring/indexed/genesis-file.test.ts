import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readGenesis } from '../../../src/wiring/indexed/genesis-file.ts'

it('a genesis behind a URL is asked for with the user and the password of that URL', async () => {
  const server = createServer(({ headers: { authorization } }, response) => {
    const isKnown = authorization === `Basic ${Buffer.from('some@one:pass word').toString('base64')}`
    response.writeHead(isKnown ? 200 : 401).end('{"networkID":5}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}/genesis.json`
  const { signal } = new AbortController()
  expect(await readGenesis(`http://some%40one:pass%20word@${place}`, signal)).toBe('{"networkID":5}')
  await expect(readGenesis(`http://${place}`, signal)).rejects.toThrow('the genesis file could not be read')
})
