import type { DueNft } from '../../../src/store/index.ts'
import { createSafeFetch } from '../../../src/upstream/index.ts'

/** What `tokenURI` answers. */
export const abiString = (text: string): string => {
  const bytes = Buffer.from(text)
  const word = (n: number): string => n.toString(16).padStart(64, '0')
  return `0x${word(32)}${word(bytes.length)}${bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')}`
}

/** As the real one, but for hosts of this machine. */
export const loopback = createSafeFetch({
  allowAddress: (address) => address === '127.0.0.1',
  limits: { maxBytes: 4_096, timeoutMs: 2_000, contentTypes: ['application/', 'text/'] },
})

export const DUE: DueNft = {
  chainId: 1n,
  stream: 1,
  contract: '11'.repeat(20),
  tokenId: 0xabn,
  standard: 'ERC-721',
  attempts: 0,
  asked: false,
  lease: 0n,
}
