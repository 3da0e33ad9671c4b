import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/store/index.ts'
import { keystoreVectors } from '../../../support/recorded/keystore-recordings.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import { openTestStore } from '../../../support/store/store.ts'
import { type KeystoreServer, startKeystoreServer } from './keystore-server.ts'

const alice = { username: 'alice', password: 'Kl3ine-Gruene.Wuerfel#27' }
const EWOQ = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
const ADDRESS = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'

interface Line {
  name: string
  request: { path: string; body: string }
  response: { headers: [string, string][]; body: string }
}

let store: Store
let server: KeystoreServer
beforeAll(async () => {
  store = openTestStore()
  await store.open()
})
afterEach(async () => {
  await server.close()
  for (const name of await store.keystore.names()) {
    const user = await store.keystore.find(name)
    if (user) await store.keystore.remove(user)
  }
})
afterAll(() => store.close())
const start = async (options: Parameters<typeof startKeystoreServer>[1]): Promise<void> => {
  server = await startKeystoreServer(store.keystore, options)
}

/** What newest nodes answer to methods that they dropped. */
const removed = recordedLines<Line>('conversations').filter(({ name }) =>
  /^(platform|avm|avax)\/(\w+(Key|AVAX)|send|create\w+|add\w+)\/removed$/.test(name),
)

const post = (path: string, body: string): Promise<Response> =>
  fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

describe('without users and with the API off', () => {
  it.each(removed.map((line) => [line.name, line] as const))('%s is not there', async (_name, line) => {
    await start({ enabled: false })
    const answer = await post(line.request.path, line.request.body)
    expect(await answer.text()).toBe(line.response.body)
    expect(answer.headers.get('x-content-type-options')).toBeNull()
    expect(server.forwarded).toEqual([])
  })

  it.each(['[1]', '1', '"x"', '["alice","secret"]', '{"username":1}'])(
    'they are not there whatever the arguments are: %s',
    async (params) => {
      await start({ enabled: false })
      for (const [path, method, printed] of [
        ['/ext/bc/P', 'platform.exportKey', 'platform.ExportKey'],
        ['/ext/bc/X', 'avm.createAddress', 'avm.CreateAddress'],
        ['/ext/bc/X', 'avm.send', 'avm.Send'],
        ['/ext/bc/C/avax', 'avax.importKey', 'avax.ImportKey'],
      ] as const) {
        const answer = await post(path, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
        expect((await answer.json()) as unknown).toMatchObject({
          error: { message: `rpc: can't find method "${printed}"` },
        })
      }
      expect(server.forwarded).toEqual([])
    },
  )

  it('knows enough of them to mean something', () => {
    expect(removed.length).toBeGreaterThan(8)
  })
})

describe('with users of old nodes', () => {
  const vector = keystoreVectors.find(({ username }) => username === 'v-p1')
  const old = { username: 'p1', password: vector?.password ?? '' }
  const imported = (): Promise<unknown> =>
    server.call('/ext/keystore', 'keystore.importUser', { ...old, user: vector?.blobHex })
  const exported = { privateKey: EWOQ }
  const exportKey = (path: string): Promise<unknown> =>
    server.call(path, 'platform.exportKey', { ...old, address: `P-${ADDRESS}` })

  it('exports keys of P under every path of the chain', async () => {
    await start({ enabled: true })
    expect(await imported()).toEqual({})
    for (const path of ['/ext/bc/P', '/ext/P', '/ext/bc/11111111111111111111111111111111LpoYY'])
      expect(await exportKey(path)).toEqual(exported)
    expect(await server.call('/ext/P', 'platform.listAddresses', old)).toEqual({ addresses: [`P-${ADDRESS}`] })
  })

  it('serves them with the API off, but not the API', async () => {
    await start({ enabled: true })
    await imported()
    await server.close()
    await start({ enabled: false })
    expect(await exportKey('/ext/bc/P')).toEqual(exported)
    expect((await post('/ext/keystore', '{}')).status).toBe(404)
  })

  it('serves the public neither users nor keys, and does not look them up', async () => {
    await start({ enabled: true })
    await imported()
    await server.close()
    await start({ enabled: true, publicDeployment: true })
    expect((await post('/ext/keystore', '{}')).status).toBe(404)
    expect(await exportKey('/ext/bc/P')).toBe(`rpc: can't find method "platform.ExportKey"`)
    expect(await server.call('/ext/bc/X', 'avm.createAddress', old)).toBe(`rpc: can't find method "avm.CreateAddress"`)
    expect(server.forwarded).toEqual([])
  })
})

describe('methods that take a password', () => {
  it.each([
    ['/ext/bc/P', 'platform.addValidator', 'platform.AddValidator'],
    ['/ext/bc/P', 'platform.importKey', 'platform.ImportKey'],
    ['/ext/bc/X', 'avm.sendMultiple', 'avm.SendMultiple'],
    ['/ext/bc/X/wallet', 'wallet.send', 'wallet.Send'],
    ['/ext/bc/C/avax', 'avax.exportAVAX', 'avax.ExportAVAX'],
    ['/ext/bc/C/avax', 'avax.listAddresses', 'avax.ListAddresses'],
    // Of these letters, too, the upper case is S and I, and a node finds methods by that.
    ['/ext/bc/X', 'avm.\u017fend', 'avm.Send'],
    ['/ext/bc/C/avax', 'avax.\u0131mportAVAX', 'avax.ImportAVAX'],
  ])('%s %s is never forwarded', async (path, method, printed) => {
    await start({ enabled: true })
    expect(await server.call(path, method, alice)).toBe(`rpc: can't find method "${printed}"`)
    expect(server.forwarded).toEqual([])
  })

  it('leave the rest of their chains alone', async () => {
    await start({ enabled: true })
    expect(await server.call('/ext/bc/P', 'platform.getHeight', {})).toBe('from a node')
    expect(server.forwarded).toHaveLength(1)
  })
})

describe('import of keys on P', () => {
  it('is there when it is asked for', async () => {
    await start({ enabled: true, platformImport: true })
    await server.call('/ext/keystore', 'keystore.createUser', alice)
    const call = (method: string, params: object = {}): Promise<unknown> =>
      server.call('/ext/bc/P', `platform.${method}`, { ...alice, ...params })
    expect(await call('importKey', { privateKey: EWOQ })).toEqual({ address: `P-${ADDRESS}` })
    const { address } = (await call('createAddress')) as { address: string }
    expect(await call('listAddresses')).toEqual({ addresses: [`P-${ADDRESS}`, address] })
    expect(await call('exportKey', { address: `P-${ADDRESS}` })).toEqual({ privateKey: EWOQ })
    expect(await call('importKey')).toBe("argument 'privateKey' not given")
    // Names differ in case only, so both are the same member: a node decodes each, and null takes the one before back.
    expect(await call('importKey', { privateKey: EWOQ, PrivateKey: null })).toBe("argument 'privateKey' not given")
    expect(await call('importKey', { privateKey: [], PrivateKey: EWOQ })).toMatch(/^couldn't unmarshal an argument\./)
  })
})

describe('keys on C', () => {
  it('are those of their own blockchain', async () => {
    await start({ enabled: true })
    await server.call('/ext/keystore', 'keystore.createUser', alice)
    const zero = { ...alice, privateKey: 'PrivateKey-11111111111111111111111111111111LpoYY' }
    expect(await server.call('/ext/bc/C/avax', 'avax.importKey', zero)).toEqual({
      address: '0x3f17f1962B36e491b30A40b2405849e597Ba5FB5',
    })
    const missing = { ...alice, address: ADDRESS }
    expect(await server.call('/ext/bc/X', 'avm.exportKey', { ...missing, address: `X-${ADDRESS}` })).toBe(
      'problem retrieving private key: not found',
    )
  })
})
