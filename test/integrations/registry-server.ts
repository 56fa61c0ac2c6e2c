/** A small schema registry over HTTP: what the tests of ours talk to. Its answers are those of Confluent's. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Stored {
  readonly schema: string
  readonly schemaType?: string
  readonly references?: readonly object[]
}

export interface RegistryServer {
  readonly url: string
  /** `GET /schemas/ids/1`, in the order in which they came. */
  readonly requests: readonly string[]
  /** The authorization header of the last request. */
  readonly authorization: () => string | undefined
  /** Stored past HTTP. */
  store(subject: string, stored: Stored): number
  /** Answer everything with this until it is called with null. */
  fail(status: number | 'hang' | 'cut' | null, body?: string): void
  close(): Promise<void>
}

export async function startRegistry(port = 0): Promise<RegistryServer> {
  const schemas: Stored[] = []
  const subjects = new Map<string, number[]>()
  const requests: string[] = []
  let authorization: string | undefined
  let failure: { readonly status: number | 'hang' | 'cut'; readonly body: string } | null = null
  const store = (subject: string, stored: Stored): number => {
    const known = schemas.findIndex((each) => JSON.stringify(each) === JSON.stringify(stored))
    const id = known === -1 ? schemas.push(stored) : known + 1
    const versions = subjects.get(subject) ?? []
    if (!versions.includes(id)) subjects.set(subject, [...versions, id])
    return id
  }
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    const path = decodeURIComponent(request.url ?? '')
    const byId = /^\/schemas\/ids\/(\d+)$/.exec(path)
    if (byId !== null) {
      const found = schemas[Number(byId[1]) - 1]
      if (found !== undefined) return { status: 200, body: found }
      return { status: 404, body: { error_code: 40403, message: `Schema ${byId[1]} not found` } }
    }
    const version = /^\/subjects\/(.+)\/versions\/(\d+)$/.exec(path)
    if (version !== null) {
      const id = subjects.get(version[1]!)?.[Number(version[2]) - 1]
      if (id === undefined) return { status: 404, body: { error_code: 40402, message: 'Version not found.' } }
      return { status: 200, body: { subject: version[1], version: Number(version[2]), id, ...schemas[id - 1] } }
    }
    const subject = /^\/subjects\/([^/]+)(\/versions)?$/.exec(path)
    if (request.method !== 'POST' || subject === null)
      return { status: 404, body: { error_code: 404, message: 'HTTP 404' } }
    let text = ''
    for await (const piece of request) text += piece
    const stored = JSON.parse(text) as Stored
    if (stored.schema.includes('incompatible')) {
      return { status: 409, body: { error_code: 409, message: 'Schema being registered is incompatible' } }
    }
    const isKnown = schemas.some((each) => JSON.stringify(each) === JSON.stringify(stored))
    if (subject[2] === undefined && !isKnown)
      return { status: 404, body: { error_code: 40403, message: 'Schema not found' } }
    return { status: 200, body: { id: store(subject[1]!, stored) } }
  }
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    authorization = request.headers.authorization
    if (failure?.status === 'hang') return
    if (failure?.status === 'cut') return void request.socket.destroy()
    if (failure !== null) return void response.writeHead(failure.status as number).end(failure.body)
    answer(request).then(
      ({ status, body }) =>
        response
          .writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
          .end(JSON.stringify(body)),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    authorization: () => authorization,
    store,
    fail: (status, body = '') => {
      failure = status === null ? null : { status, body }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
