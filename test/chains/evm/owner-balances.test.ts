import { expect, it } from 'vitest'
import { undescribedTokens } from '../../../src/chains/evm/owner-balances.ts'
import type { SweepResult } from '../../../src/chains/evm/sweep/sweep-tally.ts'

it('unlisted tokens that are held are described once each, those of owners with few of them first', () => {
  const held = (...tokens: string[]) => new Map(tokens.map((token) => [token, 1n]))
  const amounts = new Map([
    ['rich', held('0x1', '0x2', '0x3')],
    ['poor', held('0x4', '0x2')],
    ['none', held('0x5')],
  ])
  const unlisted = new Map([
    ['rich', ['0x1', '0x2', '0x3', '0x9']],
    ['poor', ['0x4', '0x2', '0x9']],
  ])
  expect(undescribedTokens({ amounts } as unknown as SweepResult, unlisted)).toEqual(['0x4', '0x2', '0x1', '0x3'])
})
