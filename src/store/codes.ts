import { StoreCorruptError } from './errors.ts'
import type { ChainLetter, OutputKind, RewardType, TokenStandard } from './rows/index.ts'

/** Words that are stored as small numbers. Databases contain the numbers: new words are appended, none is moved. */
interface Code<W extends string> {
  number(word: W): number
  word(number: number): W
}

function code<W extends string>(...words: W[]): Code<W> {
  const numbers = new Map(words.map((word, number) => [word, number]))
  return {
    number: (word) => numbers.get(word) ?? -1,
    word(number) {
      const word = words[number]
      if (word === undefined) throw new StoreCorruptError(`${number} stands for none of ${words.join(', ')}`)
      return word
    },
  }
}

export const letters = code<ChainLetter>('P', 'X', 'C')
export const outputKinds = code<OutputKind>(
  'transfer',
  'mint',
  'nft-transfer',
  'nft-mint',
  'property-owned',
  'property-mint',
)
export const rewardTypes = code<RewardType>('VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE')
export const stakerKinds = code('validator', 'delegator')
export const stakerRoles = code('reward', 'fees')
export const tokenStandards = code<TokenStandard>('ERC-20', 'ERC-721', 'ERC-1155')
/** A UTXO's relation to the chain in whose list it appears. */
export const directions = code('native', 'exported', 'importable')

/** One number for a chain of a network, used in columns named `chain` of blocks and owners. */
export const chainNumber = (network: number, letter: ChainLetter): number => network * 4 + letters.number(letter)
