import type { Container, RecordedChain } from '../recorded/recorded-chain.ts'
import { type Encoding, reencoded } from '../wire/binary-text.ts'
import { type GorillaMethod, MethodError } from '../wire/gorilla-rpc.ts'

const MAX_RANGE = 1024

function containerText(container: Container, encoding: Encoding): string {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  const { id, bytes, timestamp, index } = container
  return JSON.stringify({ id, bytes: reencoded(bytes, encoding), timestamp, encoding, index })
}

/** An index nothing was ever put into, as `X/tx` and `X/vtx` are on a linear chain. */
export const EMPTY_INDEX: Pick<RecordedChain, 'container' | 'indexOf' | 'containers'> = {
  container: () => undefined,
  indexOf: () => undefined,
  containers: () => 0,
}

/** The index API of one chain; a container's index is its block's height less one. */
export function indexMethods(chain: typeof EMPTY_INDEX): Record<string, GorillaMethod> {
  const at = (index: bigint): Container | undefined =>
    index >= BigInt(chain.containers()) ? undefined : chain.container(Number(index))
  const indexOf = (id: string): number => {
    const index = chain.indexOf(id)
    if (index === undefined) throw new MethodError('not found')
    return index
  }
  const needSome = (): bigint => {
    if (chain.containers() === 0) throw new MethodError('no containers have been accepted')
    return BigInt(chain.containers() - 1)
  }
  const getContainerByIndex = (index: bigint, encoding: Encoding): string => {
    const container = at(index)
    if (container === undefined) throw new MethodError(`no container at index ${index}`)
    return containerText(container, encoding)
  }
  return {
    getLastAccepted(args) {
      const encoding = args.encoding()
      return getContainerByIndex(needSome(), encoding)
    },
    getContainerByIndex: (args) => getContainerByIndex(args.uint('index'), args.encoding()),
    getContainerRange(args) {
      const start = args.uint('startIndex')
      const count = args.uint('numToFetch')
      const encoding = args.encoding()
      if (count < 1n || count > MAX_RANGE) {
        throw new MethodError(`numToFetch must be in [1,${MAX_RANGE}] but is ${count}`)
      }
      const last = needSome()
      if (start > last) throw new MethodError(`start index (${start}) > last accepted index (${last})`)
      const texts: string[] = []
      for (let index = start; index <= last && index < start + count; index++) {
        texts.push(getContainerByIndex(index, encoding))
      }
      return `{"containers":[${texts.join(',')}]}`
    },
    getContainerByID(args) {
      const id = args.id('id')
      const encoding = args.encoding()
      return getContainerByIndex(BigInt(indexOf(id)), encoding)
    },
    getIndex: (args) => JSON.stringify({ index: String(indexOf(args.id('id'))) }),
    isAccepted: (args) => JSON.stringify({ isAccepted: chain.indexOf(args.id('id')) !== undefined }),
  }
}
