import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyAddress, LETTERS, placeOf } from '../../api/data/recorded-truth.ts'
import { type LyingProxy, startLyingProxy } from '../../indexer/lying-proxy.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { recordedIndex, untilIndexed } from '../../support/recorded/recorded-index.ts'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'
import { type AnyAnswer, readAny } from '../../support/server/read-any.ts'
import { createStage } from '../../support/server/stage.ts'

/*
 * One index over restarts: with its nodes there, with all of them away, and with those of another network in their place.
 */
const EARLY = { P: 120, X: 80, C: 120 }
/** Of no recorded network; the node that says so answers everything else as before. */
const OTHER_ID = 4_242

const ASSET_REFUSALS = ['not found', 'Method avm.getAssetDescription is not whitelisted']

const stage = createStage()
let refused = 0
const folder = stage.folder()
let network: SandboxAvalanche
let front: LyingProxy
let nodes: 'there' | 'away' | 'of another network' | 'without assets' = 'there'

beforeAll(async () => {
  network = await startSandboxAvalanche()
  network.node.moveTo(EARLY)
  front = await startLyingProxy(network.url, (body, request) => {
    if (nodes === 'away') return undefined
    // As of an X-chain that is behind, and from a gateway in turn.
    if (nodes === 'without assets' && request.body.includes('avm.getAssetDescription'))
      return Buffer.from(
        `{"jsonrpc":"2.0","error":{"code":-32000,"message":"${ASSET_REFUSALS[refused++ % 2]}","data":null},"id":1}`,
      )
    if (nodes !== 'of another network' || !request.body.includes('info.getNetworkID')) return body
    return Buffer.from(`{"jsonrpc":"2.0","result":{"networkID":"${OTHER_ID}"},"id":1}`)
  })
})
afterAll(async () => {
  await stage.clear()
  await Promise.all([front?.stop(), network?.stop()])
})

type Answer = Pick<AnyAnswer, 'status' | 'body'>

/** Without headers: status and body are compared. */
async function call(url: string, path: string, question?: unknown): Promise<Answer> {
  const { status, body } = await readAny(url + path, question)
  return { status, body }
}

const serve = async (maxIndexAgeMs = 600_000) => {
  const base = recordedIndex(front.url)
  return stage.serve({ ...base, index: { ...base.index, maxIndexAgeMs }, dataDir: folder })
}

/** Status and body of one question to each kind of operation that the index answers. */
async function indexedAnswers(url: string): Promise<[string, Answer][]> {
  const addresses = everyAddress(trueUtxos()).slice(0, 30)
  const asked: [string, unknown?][] = LETTERS.flatMap((letter): [string, unknown?][] => [
    [`${placeOf(letter)}/blocks/20`],
    [`${placeOf(letter)}/balances?addresses=${addresses.join(',')}`],
    [`${placeOf(letter)}/utxos`, { addresses: addresses.join(',') }],
    [`${placeOf(letter)}/lastActivityTimestampByAddresses?addresses=${addresses.join(',')}`],
  ])
  const owner = network.wallets.find(({ address }) => address.startsWith(`${network.hrp}1`))?.address
  asked.push(['/v1/stake/get-rewards', { addresses: [`P-${owner}`], isTestnet: true }])
  asked.push(['/v1/blocks?network=testnet'])
  return Promise.all(asked.map(async ([path, body]): Promise<[string, Answer]> => [path, await call(url, path, body)]))
}

const statuses = (answers: readonly [string, Answer][]) => [...new Set(answers.map(([, { status }]) => status))]

/** Items of the first wallets on X, as they were streamed. */
async function xBalances(url: string): Promise<string> {
  const addresses = network.wallets.filter(({ address }) => address.startsWith(`${network.hrp}1`)).slice(0, 50)
  const { body } = await call(url, '/v1/balance/get-balances', {
    currency: 'usd',
    data: [
      {
        namespace: 'avax',
        references: ['8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'],
        addressDetails: addresses.map(({ address }) => ({ id: address, addresses: [address] })),
      },
    ],
  })
  return String(body).split('\n').sort().join('\n')
}

describe('an index and the network that it is of', () => {
  let truth: [string, Answer][]
  let balances: string

  it('answers as before after a restart with every node away', async () => {
    const first = await serve()
    await untilIndexed(first.url, EARLY)
    truth = await indexedAnswers(first.url)
    expect(statuses(truth)).toEqual([200])
    balances = await xBalances(first.url)
    await first.app.close()

    nodes = 'away'
    const again = await serve()
    expect(await indexedAnswers(again.url)).toEqual(truth)
    // What nobody but a node knows is an error of its item.
    const items = await xBalances(again.url)
    expect(items.match(/"balances":null/g)).toHaveLength(balances.match(/"error":null/g)?.length ?? 0)
    await again.app.close()
  })

  it('knows assets that the nodes do not describe', async () => {
    nodes = 'without assets'
    expect(balances.match(/"type":"unknown"/g)?.length).toBeGreaterThan(2)
    expect(balances).not.toMatch(/"error":"/)
    const { url, app } = await serve()
    // A database that is busy is an error of the item, and asked again.
    await expect.poll(() => xBalances(url), { interval: 500 }).toBe(balances)
    expect(refused).toBeGreaterThan(0)
    await app.close()
  })

  it('is not answered from when it is too old', async () => {
    const { url, app } = await serve(1)
    const answers = await indexedAnswers(url)
    expect(statuses(answers)).toEqual([503])
    expect(JSON.stringify(answers)).toContain('s old (at most 1 s are served)')
    await app.close()
  })

  it('is neither answered from nor written when the nodes are of another network, and is again when they are back', async () => {
    nodes = 'of another network'
    const { url, app } = await serve()
    await expect.poll(async () => statuses(await indexedAnswers(url))).toEqual([503])
    const [[, first] = []] = await indexedAnswers(url)
    expect(first?.body.message).toMatch(
      new RegExp(`index of another network under the name testnet: its network ID is \\d+, here it is ${OTHER_ID}`),
    )
    await expect
      .poll(async () => JSON.stringify((await call(url, '/page/index.json')).body))
      .toMatch(/"phase":"blocked".*"phase":"blocked".*"phase":"blocked"/)
    await app.close()

    nodes = 'there'
    const back = await serve()
    await untilIndexed(back.url, EARLY)
    // A database that is busy is 503, and asked again.
    await expect.poll(() => indexedAnswers(back.url), { interval: 500 }).toEqual(truth)
    await back.app.close()
  })
})
