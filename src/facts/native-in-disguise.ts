/**
 * Contracts and placeholders through which the native coin itself answers `balanceOf`, or that only represent it. Shown
 * as tokens they would count the same money twice.
 */
const CONTRACTS: ReadonlySet<string> = new Set([
  'eip155:137/0x0000000000000000000000000000000000001010',
  'eip155:80002/0x0000000000000000000000000000000000001010',
  'eip155:42220/0x471ece3750da237f93b8e339c536989b8978a438',
  'eip155:11142220/0x471ece3750da237f93b8e339c536989b8978a438',
  'eip155:1088/0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
  'eip155:1284/0x0000000000000000000000000000000000000802',
  'eip155:1285/0x0000000000000000000000000000000000000802',
  'eip155:1287/0x0000000000000000000000000000000000000802',
  'eip155:324/0x000000000000000000000000000000000000800a',
  // peaq and its testnet, Mezo and its testnet, IOTA EVM and ShimmerEVM.
  'eip155:3338/0x0000000000000000000000000000000000000809',
  'eip155:9990/0x0000000000000000000000000000000000000809',
  'eip155:31612/0x7b7c000000000000000000000000000000000000',
  'eip155:31611/0x7b7c000000000000000000000000000000000000',
  'eip155:8822/0x1074010000000000000000000000000000000000',
  'eip155:148/0x1074010000000000000000000000000000000000',
  // Acala, its testnet and Karura: the coin has 18 decimals, the token 12.
  'eip155:787/0x0000000000000000000100000000000000000000',
  'eip155:595/0x0000000000000000000100000000000000000000',
  'eip155:686/0x0000000000000000000100000000000000000080',
  // The coin of Hydration is WETH.
  'eip155:222222/0x0000000000000000000000000000000100000014',
  // Evmos and its testnet: a former wrapped coin is now another name of the coin.
  'eip155:9001/0xd4949664cd82660aae99bedc034a0dea8a0bd517',
  'eip155:9000/0xcc491f589b45d4a3c679016195b3fb87d7848210',
  // The coins of Arc and Stable are USDC and USDT0: 18 decimals as the coin, 6 as the token.
  'eip155:5042/0x3600000000000000000000000000000000000000',
  'eip155:5042002/0x3600000000000000000000000000000000000000',
  'eip155:988/0x779ded0c9e1022225f8e0630b35a9b54be713736',
  'eip155:2201/0x78cf24370174180738c5b8e352b6d14c83a6c9a9',
])
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  `0x${'0'.repeat(40)}`,
  `0x${'e'.repeat(40)}`,
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
  // Address under which EIP-7708 logs transfers of the coin.
  `0x${'f'.repeat(39)}e`,
  '11111111111111111111111111111111',
])

/** True when the address (lower-case hex) is only another name for the chain's native coin. */
export const isNativeInDisguise = (caip2Id: string, address: string): boolean =>
  PLACEHOLDERS.has(address) || CONTRACTS.has(`${caip2Id}/${address}`)
