import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createRandom, type Random } from '../../src/indexer/verify/random.ts'
import { bundledProgram } from '../support/programs/bundled-program.ts'
import { type ReplayNode, startReplayNode } from '../support/replay-node/index.ts'
import { aboutContainers, aboutReceipts, type Lie, startLyingProxy } from './lying-proxy.ts'
import type { Places } from './simulation-places.ts'

/** A short piece of the recorded network with every kind of block. */
const END = { P: 110, X: 60, C: 40 }
/** Within this an indexer is at the tip, also on a busy machine. */
const LIMIT_MS = 100_000
const program = new URL('./indexer-process.ts', import.meta.url)

/** What every run has to leave. */
export interface Simulation {
  cleanDigest: string
  /** One run with faults and kills drawn from the seed. @throws when the state differs from the clean run's */
  run(seed: number): Promise<{ kills: number; faults: number; ms: number }>
  close(): Promise<void>
}

/** Runs real indexer processes over a database, between which nothing survives but what is in it. */
export async function createSimulation(places: Places): Promise<Simulation> {
  const node = await startReplayNode({ upTo: END })
  const clean = await places.make('clean')
  // Some ten processes of a run begin with it.
  const child = await bundledProgram(program)
  const spawnIndexer = (place: string, pageBlocks: number, urls: readonly string[]): ChildProcess =>
    spawn(process.execPath, [child, place, String(pageBlocks), ...urls], { stdio: ['ignore', 'pipe', 'inherit'] })
  await untilFollowing(spawnIndexer(clean, 64, [node.url]))
  await node.stop()
  const cleanDigest = await places.digest(clean)

  return {
    cleanDigest,
    async run(seed) {
      const begin = performance.now()
      const place = await places.make(`run_${seed}`)
      const { kills, faults } = await troubledRun(place, createRandom(seed), spawnIndexer)
      const digest = await places.digest(place)
      if (digest !== cleanDigest) throw new Error(`seed ${seed}: another state than the clean run, see ${place}`)
      await places.drop(`run_${seed}`)
      return { kills, faults, ms: performance.now() - begin }
    },
    close: places.close,
  }
}

/** Kills the indexer at random moments while its upstream fails in every way, then lets it finish. */
async function troubledRun(
  place: string,
  random: Random,
  spawnIndexer: SpawnIndexer,
): Promise<{ kills: number; faults: number }> {
  const half = { P: 30 + random.below(60), X: random.below(END.X), C: random.below(END.C) }
  const node = await startReplayNode({ upTo: half })
  const liar = await startLyingProxy(node.url, troubles(random))
  // Half of the runs have an honest node beside the liar.
  const urls = random.below(2) === 0 ? [liar.url, node.url] : [liar.url]
  const kills = random.below(4)
  try {
    for (let kill = 0; kill < kills; kill++) {
      const indexer = spawnIndexer(place, 2 + random.below(40), urls)
      await firstWord(indexer)
      const move = setTimeout(() => node.moveTo(kill === 0 ? half : END), random.below(300))
      await new Promise((resolve) => setTimeout(resolve, random.below(700)))
      if (indexer.exitCode !== null) throw new Error(`the indexer ended by itself with ${indexer.exitCode}`)
      indexer.kill('SIGKILL')
      await once(indexer, 'exit')
      // Later it would take the node back behind its end.
      clearTimeout(move)
    }
    node.moveTo(END)
    await untilFollowing(spawnIndexer(place, 2 + random.below(60), urls), node)
    return { kills, faults: liar.lies }
  } finally {
    await liar.stop()
    await node.stop()
  }
}

/** One answer in eight is dropped, late, cut short or wrong in a way that only hashes and parents tell. */
function troubles(random: Random): Lie {
  const swap = aboutContainers((containers) => {
    const at = random.below(containers.length - 1)
    const [first, second] = [containers[at], containers[at + 1]]
    if (first && second) containers.splice(at, 2, { ...second, index: first.index }, { ...first, index: second.index })
  })
  const flip = aboutContainers((containers) => {
    const one = containers[random.below(containers.length)]
    if (!one) return
    const at = 10 + random.below(one.bytes.length - 20)
    one.bytes = `${one.bytes.slice(0, at)}${one.bytes[at] === '0' ? '1' : '0'}${one.bytes.slice(at + 1)}`
  })
  const wrongId = aboutContainers((containers) => {
    const [first] = containers
    const other = containers[1 + random.below(containers.length - 1)]
    if (first && other) first.id = other.id
  })
  const kinds: Lie[] = [
    () => undefined,
    (body) => body.subarray(0, random.below(body.length)),
    swap,
    flip,
    wrongId,
    aboutReceipts(random.below),
    () => Buffer.from('{"jsonrpc":"2.0","error":{"code":-32000,"message":"closed database","data":null},"id":1}'),
    () => Buffer.from('<html>502 Bad Gateway</html>'),
  ]
  return (body, request) => {
    if (random.below(8) !== 0) return body
    return kinds[random.below(kinds.length)]?.(body, request) ?? undefined
  }
}

type SpawnIndexer = (place: string, pageBlocks: number, urls: readonly string[]) => ChildProcess

async function firstWord(indexer: ChildProcess): Promise<void> {
  if (indexer.stdout) await Promise.race([once(indexer.stdout, 'data'), once(indexer, 'exit')])
}

/** Ends the process once it stands at the node's tips. */
async function untilFollowing(indexer: ChildProcess, node?: ReplayNode): Promise<void> {
  if (!indexer.stdout) throw new Error('the indexer has no output')
  const { P, X, C } = node?.heights() ?? END
  let reached = false
  let last = 'nothing'
  let why = 'ended by itself'
  // Nobody waits for ever for a process that hangs.
  const late = setTimeout(() => {
    why = `was not there within ${LIMIT_MS} ms`
    indexer.kill('SIGKILL')
  }, LIMIT_MS)
  for await (const line of createInterface({ input: indexer.stdout })) {
    if (line.startsWith('blocked')) {
      indexer.kill('SIGKILL')
      throw new Error(line)
    }
    last = line
    if (line !== `following ${[P, X, C].join()}`) continue
    reached = true
    indexer.kill('SIGKILL')
  }
  // Its output ends before it does.
  if (indexer.exitCode === null && indexer.signalCode === null) await once(indexer, 'exit')
  clearTimeout(late)
  if (!reached) throw new Error(`the indexer ${why}; its tip is ${[P, X, C].join()}, its last word was: ${last}`)
}
