import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { balanceReaderCode, callReaderCode } from '../../../../src/chains/evm/read/reader-code.ts'
import { readerCodeFile } from './yul.ts'

it('is what its sources compile to', () => {
  const committed = readFileSync(new URL('../../../../src/chains/evm/read/reader-code.ts', import.meta.url), 'utf8')
  expect(committed).toBe(readerCodeFile())
})

it('fits into init code with room for two thousand tokens', () => {
  for (const code of [balanceReaderCode, callReaderCode]) expect(code.length / 2).toBeLessThan(1_200)
})
