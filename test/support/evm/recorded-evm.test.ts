import { getContractAddress, type Hex, keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { deployData } from './contracts.ts'
import { type RecordedEvmBlock, startRecordedEvm } from './recorded-evm.ts'

const CHAIN_ID = 76_544
const sender = privateKeyToAccount(`0x${'5a'.repeat(32)}`)

/** A block with one creation of a contract, as a node gives it. */
async function creation(number: number, nonce: number): Promise<RecordedEvmBlock> {
  const raw = await sender.signTransaction({
    type: 'legacy',
    chainId: CHAIN_ID,
    nonce,
    gas: 1_000_000n,
    gasPrice: 1_000_000_000n,
    data: deployData('Empty'),
  })
  const { r, s, v } = parseTransaction(raw) as { r: Hex; s: Hex; v: bigint }
  const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
  const transaction = {
    hash: keccak256(raw),
    from: sender.address.toLowerCase(),
    to: null,
    nonce: hex(nonce),
    gas: hex(1_000_000),
    value: '0x0',
    input: deployData('Empty'),
    type: '0x0',
    gasPrice: hex(1_000_000_000),
    v: hex(v),
    r,
    s,
  }
  const miner = '0x0100000000000000000000000000000000000000'
  const block = {
    number: hex(number),
    timestamp: hex(number),
    gasLimit: hex(8_000_000),
    miner,
    transactions: [transaction],
  }
  return { block, receipts: [] }
}

it('contracts are where they were, though exports between the transactions of an account counted as its own', async () => {
  const nonces = [2, 3, 7]
  const blocks = await Promise.all(nonces.map((nonce, index) => creation(index + 1, nonce)))
  const anvil = await startRecordedEvm(CHAIN_ID, blocks)
  onTestFinished(() => anvil.stop())
  for (const nonce of nonces) {
    const address = getContractAddress({ from: sender.address, nonce: BigInt(nonce) })
    expect(await anvil.rpc('eth_getCode', [address, 'latest']), `nonce ${nonce}`).not.toBe('0x')
  }
})
