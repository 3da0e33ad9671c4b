import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/store/index.ts'
import {
  keystoreExchanges,
  keystoreVectors,
  type RecordedExchange,
} from '../../../support/recorded/keystore-recordings.ts'
import { openTestStore } from '../../../support/store/store.ts'
import { keystoreDifferences } from './differences.ts'
import { type KeystoreServer, startKeystoreServer } from './keystore-server.ts'

const VERSION = '{"jsonrpc":"2.0","result":{"version":"v0.13.9"},"id":1}\n'

interface Answer {
  status: number
  contentType: string | undefined
  nosniff: boolean
  body: string
}

const unpacked = (bytes: Buffer, encoding: string | undefined): string =>
  (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString('latin1')

function recordedAnswer({ response }: RecordedExchange): Answer {
  const header = (name: string): string | undefined => response.headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const bytes =
    response.bodyBase64 === undefined ? Buffer.from(response.body ?? '') : Buffer.from(response.bodyBase64, 'base64')
  return {
    status: response.status,
    contentType: header('content-type'),
    nosniff: header('x-content-type-options') !== undefined,
    body: unpacked(bytes, header('content-encoding')),
  }
}

function send(server: KeystoreServer, { request: { method, path, headers, body, bodyBase64 } }: RecordedExchange) {
  const bytes = bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64')
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(server.url + path, { method, headers: Object.fromEntries(headers) }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'],
          nosniff: response.headers['x-content-type-options'] !== undefined,
          body: unpacked(Buffer.concat(parts), response.headers['content-encoding']),
        }),
      )
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}

/** Blanks what differs between runs: addresses of new keys, salts and ciphertexts. Their sizes have to agree. */
function settled(answer: Answer, { volatile }: RecordedExchange): Answer {
  let { body } = answer
  const blank = (text: string): string => '*'.repeat(text.length)
  if (volatile.includes('$.result.user')) body = body.replace(/(?<="user":")0x[0-9a-f]+/, blank)
  if (volatile.includes('$.result.address')) body = body.replace(/(?<="address":"X-local1)[a-z0-9]+/, blank)
  if (volatile.includes('$.result.addresses[2]'))
    body = body.replace(
      /("addresses":\["[^"]*","[^"]*",")([^"]*)/,
      (_all, head: string, own: string) => head + blank(own),
    )
  return { ...answer, body }
}

describe('recorded conversations with a keystore, in order', () => {
  let store: Store
  let server: KeystoreServer
  const restart = async (enabled: boolean): Promise<void> => {
    await server?.close()
    server = await startKeystoreServer(store.keystore, { enabled }, VERSION)
  }
  beforeAll(async () => {
    store = openTestStore()
    await store.open()
    await restart(true)
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const remove = async (name: string): Promise<void> => {
    const user = await store.keystore.find(Buffer.from(name))
    if (user) await store.keystore.remove(user)
  }
  /** The recorder cleaned up and filled in between, which is not in the file. */
  const bringUp = async ({ name, response }: RecordedExchange): Promise<void> => {
    if (name.startsWith('keystore/importUser/')) await remove('imp')
    if (name === 'keystore/listUsers/end') await keepOnly(response.body ?? '')
    if (name === 'keystore-disabled/listUsers') {
      const users = keystoreExchanges.find((other) => other.name === 'restart/listUsers')?.response.body ?? ''
      for (const user of namesIn(users)) await addUser(user)
      await restart(false)
    }
    if (name === 'restart/listUsers') await restart(true)
  }
  const namesIn = (body: string): string[] => (JSON.parse(body) as { result: { users: string[] } }).result.users
  const keepOnly = async (body: string): Promise<void> => {
    const kept = namesIn(body)
    for (const name of await store.keystore.names()) {
      const text = Buffer.from(name).toString()
      if (!kept.includes(text)) await remove(text)
    }
  }
  const addUser = async (username: string): Promise<void> => {
    const vector = keystoreVectors.find((one) => one.username === username)
    const password = vector?.password ?? 'Kl3ine-Gruene.Wuerfel#27'
    if (vector) await server.call('/ext/keystore', 'keystore.importUser', { username, password, user: vector.blobHex })
    else await server.call('/ext/keystore', 'keystore.createUser', { username, password })
  }

  it('has all of them', () => {
    expect(keystoreExchanges.length).toBeGreaterThan(380)
  })

  it.each(keystoreExchanges.map((exchange) => [`${exchange.seq} ${exchange.name}`, exchange] as const))(
    '%s',
    async (_title, exchange) => {
      await bringUp(exchange)
      const answer = await send(server, exchange)
      if (!keystoreDifferences.some(({ names }) => names.test(exchange.name)))
        expect(settled(answer, exchange)).toEqual(settled(recordedAnswer(exchange), exchange))
      else expect(answer.body).toContain(`rpc: can't find method \\"avm.Send\\"`)
    },
  )

  it('let no password reach a node', () => {
    expect(server.forwarded.join()).not.toMatch(/password/i)
  })
})
