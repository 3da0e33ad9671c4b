import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createNftMetadataWorker, type FetchDocument } from '../../../src/services/nft-metadata/index.ts'
import type { DueNft, FetchedMetadata } from '../../../src/store/index.ts'
import { createSafeFetch } from '../../../src/upstream/index.ts'
import { until } from '../../support/waiting/until.ts'
import { abiString, DUE, loopback } from './due-token.ts'

const ID = 'ab'.padStart(64, '0')

async function startHost(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Run {
  answer: () => Promise<unknown>
  fetch?: FetchDocument
  gateway?: string
  token?: Partial<DueNft>
}

/** A worker with one due token, and what it stores. */
function startWorker({ answer, fetch = loopback, gateway, token }: Run) {
  const due: DueNft[] = [{ ...DUE, ...token }]
  const results: FetchedMetadata[] = []
  const worker = createNftMetadataWorker({
    records: {
      giveBack: async () => {},
      takeDue: async (limit) => due.splice(0, limit),
      store: async (_token, result) => void results.push(result),
    },
    call: answer,
    fetch,
    logger: pino({ level: 'silent' }),
    maxBytes: 4_096,
    pollMs: 10,
    ...(gateway === undefined ? {} : { gateways: { ipfs: gateway, arweave: gateway } }),
  })
  worker.start()
  onTestFinished(() => worker.stop())
  return { results, worker }
}

/** What the worker stores about one due token. */
async function fetched(run: Run): Promise<FetchedMetadata> {
  const { results, worker } = startWorker(run)
  await until(() => results.length > 0, 'a stored result').finally(() => worker.stop())
  const [result] = results
  if (!result) throw new Error('nothing stored')
  return result
}

const named = (uri: string, more: Omit<Run, 'answer'> = {}): Promise<FetchedMetadata> =>
  fetched({ answer: async () => abiString(uri), ...more })

const base64 = (value: unknown): string =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(value)).toString('base64')}`

describe('metadata of a token', () => {
  it('is read from data: URIs in every spelling', async () => {
    expect(await named(base64({ name: 'One', attributes: [{ trait_type: 'a', value: 1 }] }))).toEqual({
      status: 'INDEXED',
      tokenUri: expect.stringMatching(/^data:/),
      name: 'One',
      attributes: '[{"trait_type":"a","value":1}]',
    })
    expect(await named('data:application/json;utf8,{"name":"100% #1"}')).toMatchObject({ name: '100% #1' })
    expect(await named('data:application/json,%7B%22name%22%3A%22x%22%7D')).toMatchObject({ name: 'x' })
    expect(await named('data:,{%22name%22:%22x%22}')).toMatchObject({ name: 'x' })
  })

  it('is read as it stands where the escapes in a data: URI are those of an image in it', async () => {
    const image = 'data:image/svg+xml;utf8,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 fill=%22%23fff%22/%3E'
    expect(await named(`data:application/json;utf8,{"name":"No. {id}","image":"${image}"}`)).toMatchObject({
      status: 'INDEXED',
      name: 'No. {id}',
      imageUri: image,
    })
    const ofMany = await named(`data:,{"name":"{id}","image":"${image}"}`, { token: { standard: 'ERC-1155' } })
    expect(ofMany).toMatchObject({ name: ID, imageUri: image })
    expect(await named('data:,{"name":%22x}')).toMatchObject({ status: 'INVALID_METADATA_JSON' })
  })

  it('is cleaned of what strangers hide in it', async () => {
    const image = 'data:image/svg+xml,<svg/>'
    const document = { name: '\u202E<b>a\u0000</b>', image, animation_url: 'javascript:alert(1)', decimals: 300 }
    const { tokenUri: _, ...members } = await named(base64(document))
    expect(members).toEqual({ status: 'INDEXED', name: 'a', imageUri: image })
  })

  it('comes over HTTP, through gateways, with {id} in the form of ERC-1155', async () => {
    const paths: (string | undefined)[] = []
    const url = await startHost((request, response) => {
      paths.push(request.url)
      response.setHeader('content-type', 'application/json; charset=ISO-8859-1')
      response.end(Buffer.from('{"name":"\u00d1","properties":{"x":1},"decimals":2}', 'latin1'))
    })
    const found = { status: 'INDEXED', name: '\u00d1', properties: '{"x":1}', decimals: 2 }
    expect(await named(`${url}/{id}.json`, { token: { standard: 'ERC-1155' } })).toEqual({
      ...found,
      // As the contract says it; what is asked for has the id.
      tokenUri: `${url}/{id}.json`,
    })
    expect(await named('ipfs://ipfs/Qm1/7', { gateway: `${url}/ipfs/` })).toMatchObject(found)
    expect(await named('ar://tx/7', { gateway: `${url}/` })).toMatchObject(found)
    expect(paths).toEqual([`/${ID}.json`, '/ipfs/Qm1/7', '/tx/7'])
  })

  it('has the id of an ERC-1155 token wherever its document says so, within the size of a document', async () => {
    const document = {
      name: 'No. {id}',
      image: 'ipfs://Qm1/{id}.png',
      external_url: 'https://a.example/{id}/{id}',
      properties: { model: 'ar://{id}', list: ['{id}', '{ID}', 1] },
    }
    const { tokenUri: _, ...members } = await named(base64(document), { token: { standard: 'ERC-1155' } })
    expect(members).toEqual({
      status: 'INDEXED',
      name: `No. ${ID}`,
      imageUri: `ipfs://Qm1/${ID}.png`,
      externalUrl: `https://a.example/${ID}/${ID}`,
      properties: `{"model":"ar://${ID}","list":["${ID}","{ID}",1]}`,
    })
    expect(await named(base64(document))).toMatchObject({ imageUri: 'ipfs://Qm1/{id}.png' })
    const many = base64({ properties: Array(70).fill('{id}') })
    const large = await named(many, { token: { standard: 'ERC-1155' } })
    expect([large.status, (await named(many)).status]).toEqual(['METADATA_CONTENT_TOO_LARGE', 'INDEXED'])
  })

  it('is not asked for at a place whose name alone is megabytes', async () => {
    const asked: number[] = []
    const fetch: FetchDocument = async (url) => {
      asked.push(url.length)
      throw new UpstreamUnavailableError('away')
    }
    const standards = ['ERC-721', 'ERC-1155'] as const
    const statusOf = async (uri: string, standard: (typeof standards)[number]) =>
      (await fetched({ answer: async () => abiString(uri), fetch, token: { standard } })).status
    for (const standard of standards)
      expect(await statusOf(`https://a.example/${'x'.repeat(70_000)}`, standard)).toBe('INVALID_TOKEN_URI')
    expect(await statusOf(`https://a.example/${'{id}'.repeat(20_000)}`, 'ERC-1155')).toBe('METADATA_CONTENT_TOO_LARGE')
    expect(await statusOf(`data:,${'{id}'.repeat(20_000)}`, 'ERC-1155')).toBe('METADATA_CONTENT_TOO_LARGE')
    expect(asked).toEqual([])
    expect(await statusOf(`https://a.example/${'x'.repeat(60_000)}`, 'ERC-721')).toBe('UNREACHABLE_TOKEN_URI')
  })

  it('is as large as is allowed at most, whoever fetched it, and its URI a quarter of a megabyte', async () => {
    const sized = (bytes: number) => async () => ({ body: Buffer.from('{}'.padEnd(bytes)), mediaType: '' })
    expect((await named('https://a.example/', { fetch: sized(4_096) })).status).toBe('INDEXED')
    expect((await named('https://a.example/', { fetch: sized(4_097) })).status).toBe('METADATA_CONTENT_TOO_LARGE')
    expect((await named('https://a.example/'.padEnd(262_144, 'x'))).tokenUri).toHaveLength(262_144)
    expect(await named('https://a.example/'.padEnd(262_145, 'x'))).toEqual({ status: 'INVALID_TOKEN_URI' })
  })

  it('fails in the words of the API', async () => {
    const revert = () => Promise.reject(new JsonRpcError('execution reverted', 3))
    expect(await fetched({ answer: revert })).toMatchObject({ status: 'MISSING_TOKEN', retryAt: expect.any(BigInt) })
    // So answers a node that has not reached the block of the contract.
    const nothing = await fetched({ answer: async () => '0x' })
    expect(nothing).toMatchObject({ status: 'MISSING_TOKEN', retryAt: expect.any(BigInt) })
    expect(await named('nothing')).toMatchObject({ status: 'INVALID_TOKEN_URI' })
    expect(await named('ftp://a/b')).toEqual({ status: 'INVALID_TOKEN_URI_SCHEME', tokenUri: 'ftp://a/b' })
    expect(await named('ipfs://../../x', { gateway: 'http://127.0.0.1:1/ipfs/' })).toMatchObject({
      status: 'INVALID_TOKEN_URI',
    })
    expect(await named('data:,{')).toMatchObject({ status: 'INVALID_METADATA_JSON' })
    expect(await named('data:,[1]')).toMatchObject({ status: 'INVALID_METADATA' })
    expect(await named(`data:,${'['.repeat(2_000)}`)).toMatchObject({ status: 'INVALID_METADATA' })
    expect(await named(`data:,${'x'.repeat(5_000)}`)).toMatchObject({ status: 'METADATA_CONTENT_TOO_LARGE' })
  })

  it('fails by the contract, however much it answers', async () => {
    // As much as memory holds for the gas of one call.
    const empty = `0x${'20'.padStart(64, '0')}${(4_700_000).toString(16).padStart(64, '0')}${'00'.repeat(4_700_000)}`
    expect(await fetched({ answer: async () => empty })).toEqual({ status: 'INVALID_TOKEN_URI' })
    // The whole of a text, or none.
    const cut = abiString('https://a.example/1').replace('13'.padStart(64, '0'), '33'.padStart(64, '0'))
    for (const odd of [empty.slice(0, -1), `${empty}g0`, empty.slice(2), cut])
      expect(await fetched({ answer: async () => odd })).toEqual({ status: 'INVALID_TOKEN_URI' })
  })

  it('is missing in whatever way the code of the contract ends', async () => {
    const ends = [
      'invalid jump destination',
      'stack limit reached 1024 (1023)',
      'gas uint64 overflow',
      'return data out of bounds',
      'EVM error InvalidJump',
      'EVM error: StackOverflow',
      'VM execution error.',
      'Transaction processing could not be completed due to an exception (Bad jump destination)',
    ]
    for (const text of ends) {
      const answer = () => Promise.reject(new JsonRpcError(text, -32_000))
      expect((await fetched({ answer })).status, text).toBe('MISSING_TOKEN')
    }
  })

  it('tells hosts that are away, busy or endless apart, and comes back later', async () => {
    const url = await startHost((request, response) => {
      response.statusCode = request.url?.startsWith('/busy') ? 429 : request.url === '/gone' ? 503 : 200
      response.setHeader('content-type', 'application/json')
      const date = new Date(Date.now() + 4_001_000).toUTCString()
      response.setHeader('retry-after', request.url === '/busy-until' ? date : '4000')
      response.end('"'.padEnd(request.url === '/large' ? 9_000 : 10, 'x'))
    })
    const now = BigInt(Math.floor(Date.now() / 1_000))
    for (const path of ['busy', 'busy-until']) {
      const busy = await named(`${url}/${path}`)
      expect(busy.status).toBe('THROTTLED_TOKEN_URI')
      expect(busy.retryAt).toBeGreaterThanOrEqual(now + 3_999n)
    }
    expect(await named(`${url}/gone`)).toMatchObject({ status: 'UNREACHABLE_TOKEN_URI', retryAt: expect.any(BigInt) })
    const last = await named(`${url}/gone`, { token: { attempts: 7 } })
    expect(last).toEqual({ status: 'UNREACHABLE_TOKEN_URI', tokenUri: `${url}/gone` })
    // Who waited for a chain that was away has not seen the host fail.
    const asked = await named(`${url}/gone`, { token: { attempts: 12, asked: true } })
    expect(asked.retryAt).toBeLessThan(now + 300n)
    expect(await named(`${url}/large`)).toMatchObject({ status: 'METADATA_CONTENT_TOO_LARGE' })
  })

  it('is never asked of inner addresses', async () => {
    let asked = 0
    const url = await startHost((_request, response) => {
      asked += 1
      response.end('{}')
    })
    const { port } = new URL(url)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])
      expect(await named(`http://${host}:${port}/`, { fetch: createSafeFetch() })).toEqual({
        status: 'INVALID_TOKEN_URI',
        tokenUri: `http://${host}:${port}/`,
      })
    expect(asked).toBe(0)
  })

  it('stays as it was when the chain cannot be asked', async () => {
    let calls = 0
    const away = () => {
      calls += 1
      return Promise.reject(new UpstreamUnavailableError('away'))
    }
    const { results } = startWorker({ answer: away })
    await until(() => calls === 1, 'the question')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(results).toEqual([])
    expect(calls).toBe(1)
  })
})
