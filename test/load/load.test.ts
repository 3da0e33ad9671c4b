import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

async function load(...flags: string[]): Promise<{ code: unknown; output: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/load/load.ts', ...flags], { cwd: root })
  onTestFinished(() => void child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text
    })
  const [code] = await once(child, 'exit')
  return { code, output }
}

// Chains of every family and two servers start: a minute on a busy machine.
const LONG_MS = 300_000

it(
  'under load every answer is right, nothing stays open, and too much is refused with a time to come back',
  async () => {
    const { code, output } = await load('--quick', '--seconds', '5', '--streams', '20', '--overload-seconds', '3')
    expect(code, output).toBe(0)
    const figures = Object.fromEntries(
      [...output.matchAll(/^ratio (\S+) (\S+) goal/gm)].map(([, name, value]) => [name, Number(value)]),
    )
    expect(figures, output).toMatchObject({
      'load-wrong-answers': 0,
      'load-answers-broken-off-or-refused': 0,
      'load-streams-with-an-unread-chain': 0,
      'load-connections-left': 0,
      'load-upstream-connections-left': 0,
      'overload-wrong-answers': 0,
      'overload-refused-without-retry-after': 0,
      'overload-probes-failed': 0,
    })
    for (const kind of ['/ext read', '/v1 index', 'stream, reads', 'stream, slow reader'])
      expect(output).toMatch(new RegExp(`${kind}: [1-9]\\d* right`))
  },
  LONG_MS,
)

it('puts load on this machine only', async () => {
  expect(await load('--url', 'https://example.org')).toMatchObject({ code: 2 })
})
