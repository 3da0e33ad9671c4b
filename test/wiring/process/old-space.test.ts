import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { oldSpaceLimit } from '../../../src/wiring/process/old-space.ts'

const MIB = 1_048_576

/** What a process of this Node takes its limit to be, MiB. */
function limitIn(flags: readonly string[], options = ''): number {
  const source = new URL('../../../src/wiring/process/old-space.ts', import.meta.url).href
  const script = `const { oldSpaceLimit } = await import('${source}'); console.log(oldSpaceLimit())`
  const args = [...flags, '--import', 'tsx', '--input-type=module', '-e', script]
  const { stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: options },
  })
  return Number(stdout) / MIB
}

it.each([
  [['--max-old-space-size=300'], ''],
  [['--max-old-space-size=300', '--max-semi-space-size=4'], ''],
  [['--max_old_space_size=300', '--max_semi_space_size=128'], ''],
  [[], '--max-old-space-size=300'],
  [[], '--max-old-space-size=300 --max-semi-space-size=8'],
  [['--max-semi-space-size=4'], '--max-semi-space-size=8 --max-old-space-size=300'],
])('is what this Node was told: %j and the environment %j', (flags, options) => {
  expect(limitIn(flags, options)).toBe(300)
})

it('leaves out what Nodes keep for young objects', () => {
  const nodes = {
    '11.3.244.8-node.38': 48,
    '12.4.254.21-node.57': 48,
    '13.6.233.17-node.53': 192,
    '14.6.202.34-node.34': 96,
  }
  for (const [v8, young] of Object.entries(nodes))
    expect(oldSpaceLimit([], (4_096 + young) * MIB, v8)).toBe(4_096 * MIB)
})
