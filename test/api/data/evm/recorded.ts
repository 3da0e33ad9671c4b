import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { decodeWithAvalanchejs } from '../../../support/avalanche/avalanchejs-codec.ts'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { indexNotes, UNTRACED_NOTES } from '../../../support/server/index-notes.ts'
import { C_CHAIN, type IndexedServer, L1 } from '../indexed-server.ts'

interface Transaction {
  hash: string
  from: string
  to: string | null
  nonce: string
  value: string
  gas: string
  type: string
  input: string
}
interface Line {
  block: Record<'number' | 'hash' | 'parentHash' | 'gasUsed' | 'gasLimit' | 'timestamp', string> & {
    baseFeePerGas?: string
    transactions: Transaction[]
  }
  receipts: {
    status: string
    gasUsed: string
    effectiveGasPrice: string
    contractAddress: string | null
    logs: { topics: string[] }[]
  }[]
}
interface Final {
  t: string
  what: string
  token: string
  tokenId: string
  owner: string | null
  tokenURI: string | null
}
type Shown = Record<string, unknown>

const l1Lines = gunzipSync(readFileSync(new URL('../../../fixtures/l1/l1-blocks.ndjson.gz', import.meta.url)))
  .toString()
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
const recorded: [string, Line[]][] = [
  [C_CHAIN, recordedLines<Line>('c-blocks')],
  [L1, l1Lines],
]
const decimal = (quantity: string): string => BigInt(quantity).toString()

/** The newest first over all chains; `cumulativeTransactions` counts up to and with the block. */
const trueBlocks = (): Shown[] =>
  recorded.flatMap(([chainId, lines]) => {
    let cumulative = 0
    return lines.map(({ block }) => {
      cumulative += block.transactions.length
      return {
        chainId,
        blockNumber: decimal(block.number),
        blockTimestamp: Number(block.timestamp),
        blockHash: block.hash,
        parentHash: block.parentHash,
        txCount: block.transactions.length,
        gasUsed: decimal(block.gasUsed),
        gasLimit: decimal(block.gasLimit),
        baseFee: decimal(block.baseFeePerGas ?? '0x0'),
        cumulativeTransactions: String(cumulative),
      }
    })
  })

const trueTransactions = (): Shown[] =>
  recorded.flatMap(([chainId, lines]) =>
    lines.flatMap(({ block, receipts }) =>
      block.transactions.map((transaction, blockIndex) => ({
        chainId,
        blockNumber: decimal(block.number),
        blockHash: block.hash,
        blockTimestamp: Number(block.timestamp),
        blockIndex,
        txHash: transaction.hash,
        txStatus: decimal(receipts[blockIndex]?.status ?? '0x9'),
        txType: Number(transaction.type),
        gasLimit: decimal(transaction.gas),
        gasUsed: decimal(receipts[blockIndex]?.gasUsed ?? '0x0'),
        gasPrice: decimal(receipts[blockIndex]?.effectiveGasPrice ?? '0x0'),
        nonce: decimal(transaction.nonce),
        value: decimal(transaction.value),
        from: transaction.from.toLowerCase(),
        method: methodOf(transaction),
        // A failed creation names no contract: there is none.
        to: (transaction.to ?? made(receipts[blockIndex]) ?? `0x${'0'.repeat(40)}`).toLowerCase(),
      })),
    ),
  )

/** Data of less than four bytes is data all the same. */
const methodOf = ({ to, input }: Transaction) => ({
  callType: to === null ? 'CONTRACT_CREATION' : input === '0x' ? 'NATIVE_TRANSFER' : 'CONTRACT_CALL',
  methodHash: to === null || input === '0x' ? '' : input.slice(0, 10),
})

const made = (receipt?: { status: string; contractAddress: string | null }) =>
  receipt?.status === '0x1' ? receipt.contractAddress : null

async function pages(server: IndexedServer, path: string, member: string): Promise<Shown[]> {
  const found: Shown[] = []
  let token = ''
  do {
    const { status, body } = await server.get(`${path}pageSize=100&pageToken=${encodeURIComponent(token)}`)
    expect(status, JSON.stringify(body)).toBe(200)
    found.push(...(body[member] as Shown[]))
    token = body.nextPageToken ?? ''
  } while (token !== '')
  return found
}

const byKey = (name: string, items: readonly Shown[]) =>
  [...items].sort((a, b) => (`${a['chainId']}${a[name]}` < `${b['chainId']}${b[name]}` ? -1 : 1))

function expectNewestFirst(items: readonly Shown[]): void {
  const times = items.map((item) => Number(item['blockTimestamp']))
  expect(times).toEqual([...times].sort((a, b) => b - a))
}

/** Only the members that the truth names. */
const only = (items: readonly Shown[], like: Shown): Shown[] =>
  items.map((item) => Object.fromEntries(Object.keys(like).map((name) => [name, item[name]])))

const lower = (rich: unknown): string => (rich as { address: string }).address.toLowerCase()

/** Which topics of an event of a token standard, or of the native minter of L1s, name who gives and who takes. */
const PARTIES: Record<string, [number, number]> = {
  [toEventSelector('Transfer(address,address,uint256)')]: [1, 2],
  [toEventSelector('TransferSingle(address,address,address,uint256,uint256)')]: [2, 3],
  [toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])')]: [2, 3],
  [toEventSelector('NativeCoinMinted(address,address,uint256)')]: [1, 2],
}

/**
 * Senders, receivers, contracts that came to be or failed to, both ends of token transfers, and whom a coin was minted to; the
 * zero address is nobody.
 */
function participants({ block, receipts }: Line): string[] {
  const named = block.transactions.flatMap(({ from, to }, at) => [from, to ?? receipts[at]?.contractAddress])
  const moved = receipts
    .flatMap(({ logs }) => logs)
    .flatMap(({ topics }) => {
      const places = PARTIES[topics[0] ?? '']
      return places && topics.length > places[1] ? places.map((at) => `0x${topics[at]?.slice(26)}`) : []
    })
  const all = [...named, ...moved].flatMap((address) => (address ? [address.toLowerCase()] : []))
  return all.filter((address) => address !== `0x${'0'.repeat(40)}`)
}

/** Whom the manifest names, by what was meant: also who was sent value by contracts, which traces alone show. */
const meant = (): string[] =>
  recordedLines<{ t: string; participants?: string[] }>('manifest-evm')
    .flatMap(({ t, participants: named = [] }) => (t === 'tx' ? named : []))
    .map((address) => address.toLowerCase())

/** Whom imports give to and exports take from, as the official library reads it. */
const atomic = (): string[] =>
  recordedLines<{ tx: { tx?: string } }>('c-atomic-txs').flatMap(({ tx }) => {
    if (tx.tx === undefined) return []
    const { unsignedTx } = decodeWithAvalanchejs('EVM', Buffer.from(tx.tx.slice(2, -8), 'hex'))
    const { Outs, ins } = unsignedTx as unknown as Record<
      'Outs' | 'ins',
      { address: { toHex(): string } }[] | undefined
    >
    return [...(Outs ?? ins ?? [])].map(({ address }) => address.toHex().toLowerCase())
  })

export function checkEvm(server: () => IndexedServer): void {
  it('pages through every block of every chain', async () => {
    const found = await pages(server(), '/v1/blocks?', 'blocks')
    const expected = trueBlocks()
    expectNewestFirst(found)
    expect(byKey('blockHash', only(found, expected[0] ?? {}))).toEqual(byKey('blockHash', expected))
    expect((await server().get('/v1/blocks?network=mainnet')).body).toEqual({ blocks: [] })
  })

  it('pages through every transaction of every chain, or those of one outcome', async () => {
    const expected = trueTransactions()
    const list = async (query: string) => {
      const found = await pages(server(), `/v1/transactions?${query}`, 'transactions')
      expectNewestFirst(found)
      return found.map((one) => {
        const { methodName: _, ...method } = one['method'] as Shown
        return { ...one, from: lower(one['from']), to: lower(one['to']), method }
      })
    }
    const all = await list('')
    expect(byKey('txHash', only(all, expected[0] ?? {}))).toEqual(byKey('txHash', expected))
    const failed = expected.filter(({ txStatus }) => txStatus === '0')
    expect(failed.length).toBeGreaterThan(0)
    expect(byKey('txHash', only(await list('status=failed&'), failed[0] ?? {}))).toEqual(byKey('txHash', failed))
  })

  it('lists exactly the ERC-721 tokens that exist, with their owners and URIs', async () => {
    const finals = recordedLines<Final>('manifest-evm').filter(({ t, what }) => t === 'final' && what === 'erc721')
    for (const token of new Set(finals.map((final) => final.token))) {
      const alive = finals.filter((final) => final.token === token && final.owner !== null)
      const path = `/v1/chains/${C_CHAIN}/nfts/collections/${token}/tokens`
      const listed = await pages(server(), `${path}?`, 'tokens')
      // A collection whose Transfer event indexes nothing cannot be told from other tokens.
      if (listed.length === 0) continue
      const owners = new Map(listed.map((one) => [one['tokenId'], String(one['ownerAddress']).toLowerCase()]))
      for (const { tokenId, owner } of alive)
        expect(owners.get(tokenId), `${token} ${tokenId}`).toBe(owner?.toLowerCase())
      const { body } = await server().get(`${path}/${alive[0]?.tokenId}`)
      expect(body).toMatchObject({ address: token, ercType: 'ERC-721', tokenId: alive[0]?.tokenId })
    }
  })

  it('tells the chains of everybody who took part, and where their calls go', async () => {
    const used = new Map<string, Set<string>>()
    const all = recorded.map(([chainId, lines]) => [chainId, lines.flatMap(participants)] as const)
    const alone = [...meant(), ...atomic()].filter((address) => !all[0]?.[1].includes(address))
    expect(new Set(alone).size).toBeGreaterThan(3)
    for (const [chainId, addresses] of [...all, [C_CHAIN, alone] as const])
      for (const address of addresses) used.set(address, (used.get(address) ?? new Set()).add(chainId))
    used.delete(`0x${'0'.repeat(40)}`)
    for (const [address, chainIds] of used) {
      const { body } = await server().get(`/v1/address/${address}/chains`)
      const found = (body.indexedChains as { chainId: string; rpcUrl: string }[]).sort((a, b) =>
        a.chainId < b.chainId ? -1 : 1,
      )
      expect(
        found.map(({ chainId }) => chainId),
        address,
      ).toEqual([...chainIds].sort())
      for (const { rpcUrl } of found) expect(rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ext\/bc\/[A-Za-z0-9]+\/rpc$/)
    }
    const [either] = [...used].find(([, chains]) => chains.size === 2) ?? []
    const told = async () => {
      const { body } = await server().get(`/v1/address/${either}/chains`)
      return (body.indexedChains as Shown[]).map(
        ({ chainId, platformChainId: id, subnetId: subnetID, vmId: vmID }) => ({ chainId, id, subnetID, vmID }),
      )
    }
    const { blockchains } = recordedJson<{ blockchains: { blockchains: Shown[] } }>('platform-state').blockchains
    const made = blockchains.find(({ name }) => name === 'Firn L1 B')
    // It is asked for anew some seconds after P was found not to know it yet.
    await expect.poll(told).toContainEqual({ chainId: L1, ...made, name: undefined })
    const nobody = await server().get(`/v1/address/0x${'0'.repeat(36)}beef/chains`)
    expect(nobody.body).toEqual({ indexedChains: [], unindexedChains: [] })
  })
}

export function checkIndexNotes(server: () => IndexedServer): void {
  it('health says of the chain that no node traces what is missing of it', () =>
    expect.poll(() => indexNotes(server().url, `eip155:${L1}`)).toEqual(UNTRACED_NOTES))
}

export function checkRequests(server: () => IndexedServer): void {
  it('refuses tokens that are damaged or of another query, and sizes out of bounds', async () => {
    const first = await server().get('/v1/blocks?pageSize=5')
    const token = String(first.body.nextPageToken)
    const status = async (path: string) => (await server().get(path)).status
    expect(await status(`/v1/blocks?pageSize=5&pageToken=${token}`)).toBe(200)
    expect(await status(`/v1/transactions?pageSize=5&pageToken=${token}`)).toBe(400)
    expect(await status(`/v1/blocks?network=mainnet&pageToken=${token}`)).toBe(400)
    expect(await status(`/v1/blocks?pageToken=${token.slice(0, -3)}`)).toBe(400)
    expect(await status('/v1/blocks?pageToken=what')).toBe(400)
    expect((await server().get('/v1/blocks?pageSize=5&pageToken=')).body).toEqual(first.body)
    for (const size of [0, 101, 1025, -1, 'x']) expect(await status(`/v1/blocks?pageSize=${size}`), `${size}`).toBe(400)
    expect(await status('/v1/blocks?rltoken=a&token=b&nobody=knows')).toBe(200)
    const path = '/v1/networks/fuji/blockchains/p-chain/utxos'
    const addresses = 'fuji1dgq822vypejk36yaeud74sv60rx4jzezeq7kqk'
    expect((await server().post(`${path}?pageSize=1024`, { addresses })).body.utxos).toHaveLength(1024)
    expect((await server().post(`${path}?pageSize=1025`, { addresses })).status).toBe(400)
  })
}
