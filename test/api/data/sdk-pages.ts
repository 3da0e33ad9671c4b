import { expect } from 'vitest'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { recordedJson, recordedLines } from '../../support/recorded/recordings.ts'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'
import type { Letter } from './recorded-truth.ts'

/** An ERC-721 of the recorded C-chain with ids from 1. */
export const NFT = '0x50594eb8a249A1Fcbc44604d4c142DC413eC3385'
export const TOKEN = '2'
/** How many of them exist. */
export const NFTS = 25
export const NODE = 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5'
export const UNUSED = formatBech32Address(new Uint8Array(20).fill(0x77), 'fuji')
export const CHAINS = ['p-chain', 'x-chain', 'c-chain'] as const

/** Accounts that sent something on the recorded C-chain. */
const sent = new Set(
  recordedLines<{ block: { transactions: { from: string }[] } }>('c-blocks').flatMap(({ block }) =>
    block.transactions.map(({ from }) => from.toLowerCase()),
  ),
)
const { keys } = recordedJson<{ keys: Record<string, { address: string; evmAddress: string }> }>('network')
export const addresses = Object.values(keys)
  .map(({ address }) => address.replace(/^[PXC]-/, ''))
  .join(',')
export const [{ evmAddress = '' } = {}] = Object.values(keys).filter(({ evmAddress }) =>
  sent.has(evmAddress.toLowerCase()),
)

/** Pages of an SDK, read to the end: how many, and every item's name, none twice. */
export async function namesOf<T>(pages: AsyncIterable<T>, name: (page: T) => readonly string[]): Promise<string[]> {
  const found: string[] = []
  for await (const page of pages) found.push(...name(page))
  expect(new Set(found).size).toBe(found.length)
  return found
}

export interface PageOf<T> {
  items: readonly T[]
  nextPageToken?: string | undefined
}

/** The same where the caller turns the pages. */
export async function turned<T>(
  ask: (pageToken?: string) => Promise<PageOf<T>>,
  name: (item: T) => string,
): Promise<string[]> {
  async function* pages(): AsyncGenerator<PageOf<T>> {
    let next: string | undefined
    do {
      const page = await ask(next)
      next = page.nextPageToken
      yield page
    } while (next)
  }
  return namesOf(pages(), ({ items }) => items.map(name))
}

export const tokenOf = (pageToken: string | undefined) => (pageToken === undefined ? {} : { pageToken })
export const utxoId = (utxo: { utxoId: string }): string => utxo.utxoId

/** How much there is to be listed. */
export const TOTAL = {
  blocks: 647 + 131,
  evmTransactions: evmTransactions(),
  utxos: Object.fromEntries(CHAINS.map((chain) => [chain, outputsOf(chain)])),
  proposed: Object.fromEntries(CHAINS.map((chain) => [chain, proposedOn(chain)])),
}

function evmTransactions(): number {
  const count = (lines: { block: { transactions: unknown[] } }[]): number =>
    lines.reduce((sum, { block }) => sum + block.transactions.length, 0)
  return count(recordedLines('c-blocks')) + count(recordedLines('../l1/l1-blocks'))
}

function outputsOf(chain: string): number {
  const letter = chain.charAt(0).toUpperCase()
  const owners = new Set(addresses.split(','))
  return trueUtxos().filter(
    (utxo) =>
      [utxo.createdOnChain, utxo.consumableOnChain].includes(letter as Letter) &&
      utxo.addresses.some((address) => owners.has(address)),
  ).length
}

function proposedOn(chain: string): number {
  return recordedLines<{ chain: string; proposerNodeID?: string | null }>('truth/blocks').filter(
    (block) => `${block.chain.toLowerCase()}-chain` === chain && block.proposerNodeID === NODE,
  ).length
}
