import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A document in memory. */
export interface ServedAsset {
  contentType: string
  body: Buffer
  /** Strong, including the quotes. */
  etag: string
}

export const createAsset = (contentType: string, body: Buffer): ServedAsset => ({
  contentType,
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
})

/**
 * Sends the document, or 304 when the browser already has it. `no-cache` means: cache it, but revalidate each time, so that
 * an upgraded server never meets scripts of its predecessor.
 */
export async function sendAsset(asset: ServedAsset, request: FastifyRequest, reply: FastifyReply) {
  reply.header('cache-control', 'no-cache').header('etag', asset.etag)
  if (names(request.headers['if-none-match'], asset.etag)) return reply.code(304).send()
  return reply.type(asset.contentType).send(asset.body)
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): compressing proxies mark tags with `W/`. */
const names = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
