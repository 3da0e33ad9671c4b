import { parseArgs } from 'node:util'
import type { ConversationSet, Heights, ReplayNodeOptions } from './index.ts'
import { startReplayNode } from './index.ts'

const USAGE = `node --import tsx test/support/replay-node/main.ts [options]
  --recordings DIR          folder of recordings (default: test/fixtures)
  --port N                  default: any free port
  --up-to P=100,X=50,C=200  heights the chains stand at (default: their ends)
  --conversations a,b       replay these exactly: network, network-moment, network-once, l1, auth, keystore, legacy
  --advance-ms N            accept one more block every N milliseconds
  --latency-ms N            delay every answer
  --lag N                   serve N blocks less than the tips`

function heights(text: string): Partial<Heights> {
  const entries = text.split(',').map((entry) => entry.split('=') as [string, string])
  return Object.fromEntries(entries.map(([chain, height]) => [chain, Number(height)]))
}

const { values } = parseArgs({
  options: {
    recordings: { type: 'string' },
    port: { type: 'string', default: '0' },
    'up-to': { type: 'string' },
    conversations: { type: 'string' },
    'advance-ms': { type: 'string' },
    'latency-ms': { type: 'string', default: '0' },
    lag: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(USAGE)
} else {
  const options: ReplayNodeOptions = {
    port: Number(values.port),
    faults: { latencyMs: Number(values['latency-ms']), lagBlocks: Number(values.lag) },
    ...(values.recordings === undefined ? {} : { recordings: values.recordings }),
    ...(values['up-to'] === undefined ? {} : { upTo: heights(values['up-to']) }),
    ...(values.conversations === undefined
      ? {}
      : { conversations: values.conversations.split(',') as ConversationSet[] }),
  }
  const node = await startReplayNode(options)
  console.log(`ready ${node.url}`)
  const every = Number(values['advance-ms'] ?? 0)
  const timer = every > 0 ? setInterval(() => node.advance(), every) : undefined
  const stop = (): void => {
    clearInterval(timer)
    void node.stop()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
