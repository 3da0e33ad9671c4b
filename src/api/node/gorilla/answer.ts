import { escapeHtml, goJson } from '../../../lib/json/go-json.ts'

const NULL = Buffer.from('null')
const NEWLINE = Buffer.from('}\n')

/** All error codes of these endpoints. */
export const GORILLA_CODES = { parse: -32700, invalidRequest: -32600, server: -32000 } as const

/** `result` is JSON text; characters that Go escapes are escaped here. */
export function successBody(result: string, id: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","result":${escapeHtml(result)},"id":`), id, NEWLINE])
}

/** `id` undefined is written as null; `data` is JSON, copied unchanged. */
export function errorBody(code: number, message: string, id: Buffer | undefined, data: Buffer = NULL): Buffer {
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","error":{"code":${code},"message":${goJson(message)},"data":`),
    data,
    Buffer.from('},"id":'),
    id ?? NULL,
    NEWLINE,
  ])
}
