import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { boundHeapGrowth } from '../../../src/wiring/process/heap-growth.ts'

it('sets a flag that this V8 knows: it says nothing about others', () => {
  const flags: string[] = []
  boundHeapGrowth((flag) => flags.push(flag))
  expect(flags).toEqual(['--heap-growing-percent=100'])
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  expect(known).toMatch(/^ +--heap-growing-percent /m)
})
