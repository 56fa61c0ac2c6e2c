/** A local HTTP service that handles posted records with a function. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer, PostedRecord } from './http-engine.ts'

export type ServiceHandler = (
  record: PostedRecord,
  signal: AbortSignal,
) => Answer | undefined | Promise<Answer | undefined>

export interface Service {
  readonly url: string
  /** The most connections that were open at the same time. */
  readonly connectionsMost: () => number
  close(): Promise<void>
}

export async function startService(handle: ServiceHandler): Promise<Service> {
  let open = 0
  let most = 0
  const server = createServer((question, answer) => {
    respond(question, answer, handle).catch((error: unknown) => {
      answer.statusCode = 500
      answer.end(error instanceof Error ? error.message : String(error))
    })
  })
  server.on('connection', (socket) => {
    most = Math.max(most, ++open)
    socket.on('close', () => open--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/`, connectionsMost: () => most, close }
}

async function respond(question: IncomingMessage, answer: ServerResponse, handle: ServiceHandler): Promise<void> {
  const gone = new AbortController()
  answer.on('close', () => gone.abort(new Error('the caller is gone')))
  const chunks: Buffer[] = []
  for await (const chunk of question) chunks.push(chunk as Buffer)
  const record = JSON.parse(Buffer.concat(chunks).toString()) as PostedRecord
  const result = await handle(record, gone.signal)
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify(result ?? {}))
}
