import type { FastifyReply, FastifyRequest } from 'fastify'

/** One file of the page, in memory. */
export interface ServedAsset {
  /** File name without folder. */
  name: string
  contentType: string
  body: Buffer
  /** Strong, with its quotes. */
  etag: string
}

/**
 * Sends the file, or 304 where the browser has it already. `no-cache` means: keep it, but ask each time, so that a
 * server that was replaced never meets scripts of its predecessor.
 */
export async function sendAsset(asset: ServedAsset, request: FastifyRequest, reply: FastifyReply) {
  reply.header('cache-control', 'no-cache').header('etag', asset.etag)
  if (names(request.headers['if-none-match'], asset.etag)) return reply.code(304).send()
  return reply.type(asset.contentType).send(asset.body)
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): proxies that compress mark tags with `W/`. */
const names = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
