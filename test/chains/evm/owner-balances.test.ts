import { expect, it } from 'vitest'
import { balancesOf, type TokenKnowledge, undescribedTokens } from '../../../src/chains/evm/owner-balances.ts'
import type { SweepResult } from '../../../src/chains/evm/sweep/sweep-tally.ts'
import { UpstreamUnavailableError } from '../../../src/errors.ts'

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

it('a held token that was not described fails with what kept it from being read', () => {
  const amounts = new Map([['owner', new Map([['0x1', 1n]])]])
  const trouble = new UpstreamUnavailableError('nobody answers')
  const known = (told: object) => ({ listed: new Map(), own: ['0x1'], told: new Map(), decimalsOf: () => 0, ...told })
  const of = (told: object) =>
    balancesOf({ amounts } as unknown as SweepResult, 'owner', {
      ...known(told),
      multiplierOf: () => undefined,
    } as unknown as TokenKnowledge)
  expect(of({ trouble })).toEqual({ ok: false, error: trouble })
  expect(of({})).toMatchObject({ ok: false, error: { message: 'a token was not described' } })
})
