import { type FakeNode, gorillaCall, nodeAt, startFront, told } from '../../fake-nodes.ts'

/** Of a client, which no probe uses. */
export const CLIENT_ID = '777'

/** Two nodes, of which one tells a height before the other has it. */
export interface LateNode {
  /** The one that told the height. */
  first: FakeNode
  /** The body of an answer: with `old` in it it is of a node that is late, with `new` in it of one that is not. */
  ask(method: string, over?: { path?: string; more?: object }): Promise<string>
  /** The late one has the height, too, from now on. */
  arrive(): void
}

/**
 * Resolves when a client has been told the height 101.
 * @param height method that tells it @param state method whose answer depends on it
 * @param index of the one that is late @param onAsked called when that one is asked for the state
 */
export async function startLateNode(
  { path, height, state }: { path: string; height: string; state: string },
  { index = 0, onAsked = () => undefined }: { index?: number; onAsked?: () => void } = {},
): Promise<LateNode> {
  const front = await startFront(2)
  const [late, first] = [nodeAt(front, index), nodeAt(front, 1 - index)]
  let [isLate, asked] = [true, 0]
  for (const node of front.nodes)
    node.answer = (call) => {
      const isBehind = isLate && node === late
      if (call.method === state) {
        if (isBehind) onAsked()
        return told(call, { utxos: [isBehind ? 'old' : 'new'] })
      }
      if (call.method !== height) return undefined
      // So that the other one is asked, even where this one comes first.
      if (isBehind && call.body.includes(CLIENT_ID) && asked++ === 0) return 'cut'
      return told(call, { height: isBehind ? '100' : '101' })
    }
  const ask: LateNode['ask'] = async (method, over = {}) => {
    const params = JSON.stringify({ addresses: ['x'], ...over.more })
    return (await front.post(over.path ?? path, gorillaCall(method, params, CLIENT_ID))).text
  }
  let seen = ''
  while (!seen.includes('101')) seen = await ask(height)
  return {
    first,
    ask,
    arrive: () => {
      isLate = false
    },
  }
}
