import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HDKey } from '@scure/bip32'
import type { Config, Partially } from '../../src/config/index.ts'
import { SIDES, type Side } from '../../src/facts/primary-network.ts'
import { recordedIndex } from '../support/recorded/recorded-index.ts'
import { startReplayNode } from '../support/replay-node/index.ts'
import { decodeAddress, encodeAddress } from '../support/replay-node/wire/address-text.ts'

/*
 * The recorded network as both networks of one server. Keys, IDs and blocks are the same on both sides, but each stands at
 * heights of its own: whatever is taken from the wrong side shows. None ends with a proposal, for an index waits for its option.
 */
export const SIDE_HEIGHTS = { mainnet: { P: 93, X: 50, C: 60 }, testnet: { P: 140, X: 75, C: 90 } } as const
export const C_CHAIN_IDS = { mainnet: 43_114, testnet: 43_113 } as const
/** Networks as the indexed API calls them. */
export const INDEXED_NAMES = { mainnet: 'mainnet', testnet: 'fuji' } as const

const HRP = 'fuji'
/** Nobody recorded what children of a key own: at the nodes each stands for a recorded address. */
const account = HDKey.fromMasterSeed(Buffer.alloc(32, 77)).derive("m/44'/9000'/0'")
export const EXTENDED_KEY = account.publicExtendedKey

export interface Child {
  /** Address without a chain's prefix. */
  address: string
  hex: string
}

/** An address of the key's external branch. */
export function childAt(index: number): Child {
  const bytes = Buffer.from(account.deriveChild(0).deriveChild(index).pubKeyHash ?? [])
  return { address: encodeAddress(HRP, bytes), hex: bytes.toString('hex') }
}

export const hexOf = (address: string): string => Buffer.from(decodeAddress(address).bytes).toString('hex')

export interface SideFront {
  url: string
  /** Nothing is answered any more. */
  away: boolean
  /** Children of the key and the recorded addresses that they own the outputs of. */
  readonly children: Map<Child, string>
  stop(): Promise<void>
}

/** Nodes of both networks, each behind a door that a test may close. */
export async function startTwoNetworks(): Promise<Record<Side, SideFront> & { stop(): Promise<void> }> {
  const [mainnet, testnet] = await Promise.all(SIDES.map(startSide))
  if (!mainnet || !testnet) throw new Error('there are two sides')
  return { mainnet, testnet, stop: async () => void (await Promise.all([mainnet.stop(), testnet.stop()])) }
}

async function startSide(side: Side): Promise<SideFront> {
  const node = await startReplayNode({ upTo: SIDE_HEIGHTS[side] })
  const server = createServer(async (incoming, outgoing) => {
    const asked = Buffer.concat(await incoming.toArray()).toString()
    if (front.away) return outgoing.destroy()
    // Stakes are looked up by their transactions, which name nobody in the question.
    const named = [...front.children].filter(
      ([{ address }]) => asked.includes(address) || asked.includes('platform.getTx"'),
    )
    const body = named.reduce((text, [child, address]) => text.replaceAll(child.address, address), asked)
    const method = incoming.method ?? 'GET'
    const headers = { 'content-type': incoming.headers['content-type'] ?? 'application/json' }
    const path = incoming.url ?? '/'
    const answer = await fetch(node.url + path, { method, headers, ...(body === '' ? {} : { body }) })
      .then(async (got) => ({ status: got.status, headers: got.headers, body: await got.text() }))
      .catch(() => undefined)
    // A connection that was idle may have ended with the question on its way: whoever asked hears no more of it, either.
    if (!answer) return outgoing.destroy()
    const type = answer.headers.get('content-type') ?? 'text/plain'
    let text = named.reduce(asOwnedBy, answer.body)
    if (asked.includes('eth_chainId')) text = text.replaceAll(`"0x${C_CHAIN_IDS.testnet.toString(16)}"`, idOf(side))
    return outgoing.writeHead(answer.status, { 'content-type': type }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const front: SideFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    away: false,
    children: new Map(),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await node.stop()
    },
  }
  return front
}

const idOf = (side: Side): string => `"0x${C_CHAIN_IDS[side].toString(16)}"`

/** The node's answer about a recorded address, told of the child that stands for it. */
function asOwnedBy(text: string, [child, address]: [Child, string]): string {
  const owned = hexOf(address)
  return text.replaceAll(address, child.address).replace(/"0x([0-9a-f]{8,})"/g, (found, hex: string) => {
    if (!hex.includes(owned)) return found
    const bytes = Buffer.from(hex.slice(0, -8).replaceAll(owned, child.hex), 'hex')
    const sum = createHash('sha256').update(bytes).digest().subarray(-4)
    return `"0x${bytes.toString('hex')}${sum.toString('hex')}"`
  })
}

/** Settings of a server of these networks, which serves `ext` under `/ext`. */
export function settingsOf(fronts: Record<Side, SideFront>, served: readonly Side[], ext: Side): Partially<Config> {
  const sides = served.map((side) => [side, recordedIndex(fronts[side].url)] as const)
  const [[, base] = []] = sides
  const chain = ([side, { chains }]: (typeof sides)[number]) => ({
    ...Object.values(chains?.evm ?? {})[0],
    testnet: side === 'testnet',
  })
  return {
    ...base,
    index: { enabled: true, streams: served.flatMap((side) => ['P', 'X', 'C'].map((letter) => `${side}:${letter}`)) },
    node: { network: ext },
    chains: {
      catalogue: false,
      evm: Object.fromEntries(sides.map((each) => [C_CHAIN_IDS[each[0]], chain(each)])),
      avalanche: Object.fromEntries(
        sides.map(([side, { chains }]) => [
          side,
          { ...chains?.avalanche?.testnet, name: side, evmChainId: C_CHAIN_IDS[side] },
        ]),
      ),
    },
  } as Partially<Config>
}
