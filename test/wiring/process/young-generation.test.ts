import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shortenYoungCollections } from '../../../src/wiring/process/young-generation.ts'

it('sets flags that this V8 knows: it says nothing about others', () => {
  const flags: string[] = []
  shortenYoungCollections((flag) => flags.push(flag))
  expect(flags).toEqual([
    '--no-parallel-scavenge',
    '--no-concurrent-array-buffer-sweeping',
    '--no-allocation-site-pretenuring',
  ])
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of flags) expect(known).toMatch(new RegExp(`^ +--${flag.replace('--no-', '')} `, 'm'))
})
