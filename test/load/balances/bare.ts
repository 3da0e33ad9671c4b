import Fastify from 'fastify'

/** What Fastify alone does with the same request: reads the body as JSON, sends bytes that were ready before. */
process.once('message', async (message) => {
  const { body, headers } = message as { body: string; headers: Record<string, string> }
  const app = Fastify()
  app.post('/v1/balance/get-balances', (_request, reply) => {
    reply.headers(headers).send(body)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: Number(new URL(url).port) })
})
