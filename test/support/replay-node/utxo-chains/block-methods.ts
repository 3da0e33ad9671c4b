import type { RecordedChain } from '../recorded/recorded-chain.ts'
import { type Encoding, reencoded } from '../wire/binary-text.ts'
import type { Arguments } from '../wire/gorilla-arguments.ts'
import { type GorillaMethod, MethodError } from '../wire/gorilla-rpc.ts'

function encoded(name: string, hex: string, json: string, encoding: Encoding): string {
  const value = encoding === 'json' ? json : JSON.stringify(reencoded(String(JSON.parse(hex)), encoding))
  return `{"${name}":${value},"encoding":"${encoding}"}`
}

/** `tx` or `block` of a recorded line in the asked encoding; undefined when it is not accepted. */
export function encodedTransaction(chain: RecordedChain, id: string, encoding: Encoding): string | undefined {
  const hex = chain.transaction(id, 'hex')
  const json = chain.transaction(id, 'json')
  return hex === undefined || json === undefined ? undefined : encoded('tx', hex, json, encoding)
}

function blockAt(chain: RecordedChain, height: number, encoding: Encoding): string | undefined {
  const hex = chain.block(height, 'hex')
  const json = chain.block(height, 'json')
  return hex === undefined || json === undefined ? undefined : encoded('block', hex, json, encoding)
}

/** getBlock and getBlockByHeight, alike on the P- and the X-chain. */
export function blockMethods(chain: RecordedChain): Record<'getBlock' | 'getBlockByHeight', GorillaMethod> {
  return {
    getBlock(args: Arguments) {
      const id = args.id('blockID')
      const encoding = args.encoding()
      const height = chain.heightOfBlock(id)
      const block = height === undefined ? undefined : blockAt(chain, height, encoding)
      if (block === undefined) throw new MethodError(`couldn't get block with id ${id}: not found`)
      return block
    },
    getBlockByHeight(args: Arguments) {
      const height = args.uint('height')
      const encoding = args.encoding()
      const block = height > 1n << 32n ? undefined : blockAt(chain, Number(height), encoding)
      if (block === undefined) throw new MethodError(`couldn't get block at height ${height}: not found`)
      return block
    },
  }
}
