import { once } from 'node:events'
import { expect, it } from 'vitest'
import { itemsOf } from '../support/balances/balance-api.ts'
import { descendants, isAlive } from '../support/programs/processes.ts'
import { paste } from './pasted.ts'
import { below, SANDBOX, startSandboxProcess } from './sandbox-process.ts'

it('the sandbox prints lines that work as they are and where it is ready; Ctrl-C leaves nothing behind', async () => {
  const { child, url, output } = await startSandboxProcess(SANDBOX.npm)
  const lines = output.out.split('\n').filter((line) => line.startsWith('curl '))
  expect(lines).toHaveLength(9)
  // It says so if the machine is too slow for that.
  if (!output.err.includes('the index is still catching up'))
    for (const line of lines) expect((await paste(line)).status, line).toBe(200)
  const answers = new Map<string, string>()
  for (const line of lines) {
    // Until the index has come to the tip its lines say so, and a machine that stands still meets a deadline now and then,
    // of the whole answer or of one chain in it: what is looked at below is what was said with 200 and without an error.
    const said = async () => {
      const { status, text } = await paste(line)
      answers.set(line, text)
      const items = line.includes('/get-balances') ? itemsOf(text) : []
      return { status, errors: items.filter(({ error }) => error !== null) }
    }
    await expect.poll(said, { timeout: 120_000, message: line }).toEqual({ status: 200, errors: [] })
    if (line.includes('/get-balances')) expect(itemsOf(answers.get(line) ?? '').length, line).toBeGreaterThan(0)
  }
  const said = (path: string) => JSON.parse(answers.get(lines.find((line) => line.includes(url + path)) ?? '') ?? '')
  expect(said('/v1/balance/get-supported-chains').caip2Ids).toHaveLength(8)
  expect(said('/ext/bc/P').result.height).toMatch(/^[1-9]\d*$/)
  expect(said('/v1/networks/').balances.unlockedUnstaked).not.toEqual([])
  expect(said('/v1/stake/get-rewards').historicalRewardsAmount).toMatch(/^[1-9]\d*$/)
  const commands = descendants(child.pid as number).map(({ command }) => command)
  expect(commands.some((command) => command.includes('anvil'))).toBe(true)
  expect(commands.some((command) => command.includes('bitcoin-process'))).toBe(true)
  const pids = below(child)
  const gone = once(child, 'exit')
  process.kill(-(child.pid as number), 'SIGINT')
  await gone
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
  // What is not there yet while it starts is no warning to somebody who sees this for the first time. Of the lines above
  // none asks for transactions, which the sandbox itself does.
  const warned = (output.out + output.err).split('\n').filter((line) => line.startsWith('{'))
  const isOwn = (line: string): boolean =>
    /"path":"\/v1\/transactions"|"check":"(index","error":.*not indexed|bootstrapped)/.test(line)
  expect(warned.filter(isOwn)).toEqual([])
})

it('the sandbox tells how long it took from the command on', async () => {
  const began = Date.now()
  const { output } = await startSandboxProcess(SANDBOX.withoutIndex)
  const waited = (Date.now() - began) / 1_000
  const told = () => Number(/started in ([\d.]+) s/.exec(output.err)?.[1])
  await expect.poll(told).toBeGreaterThan(0)
  expect(told()).toBeGreaterThan(waited * 0.9)
})
