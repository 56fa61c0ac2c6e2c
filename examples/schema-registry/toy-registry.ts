/** The least that a schema registry is: it gives schemas numbers, and numbers back their schemas. For the example only. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ToyRegistry {
  readonly url: string
  close(): Promise<void>
}

export async function startToyRegistry(): Promise<ToyRegistry> {
  const schemas: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const id = /^\/schemas\/ids\/(\d+)$/.exec(request.url ?? '')?.[1]
    const found = id === undefined ? undefined : schemas[Number(id) - 1]
    response.setHeader('content-type', 'application/vnd.schemaregistry.v1+json')
    if (request.method === 'POST') response.end(JSON.stringify({ id: numberOf(schemas, body) }))
    else if (found !== undefined) response.end(found)
    else response.writeHead(404).end(JSON.stringify({ error_code: 40403, message: 'Schema not found' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

function numberOf(schemas: string[], schema: string): number {
  const known = schemas.indexOf(schema)
  return known === -1 ? schemas.push(schema) : known + 1
}
