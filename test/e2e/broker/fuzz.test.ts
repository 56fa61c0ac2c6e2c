/**
 * A fuzzer with a fixed seed: captured requests, damaged in every way that comes to mind, thrown at a running broker. It may
 * answer or hang up; it must not die, hang, or swell.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { apiVersionsApi } from '../../../src/protocol/generated/18-api-versions.ts'
import { RawClient } from '../../support/raw-client.ts'

const seed = 20_261_116
const rounds = 3_000

interface Captured {
  readonly api: number
  readonly version: number
  readonly kind: string
  readonly bytes: string
}

const requests = readFileSync(new URL('../../unit/protocol/fixtures/frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Captured)
  .filter(({ kind }) => kind === 'request')
  .map(({ bytes }) => Buffer.from(bytes, 'base64'))

function random(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

function damaged(chance: () => number): Buffer {
  const pick = requests[Math.floor(chance() * requests.length)] as Buffer
  const bytes = Buffer.from(pick)
  const at = (): number => Math.floor(chance() * bytes.length)
  const kind = Math.floor(chance() * 7)
  if (kind === 0) return bytes.subarray(0, at())
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at()), bytes.subarray(at())])
  if (kind === 2) bytes.fill(0xff, at(), at())
  else if (kind === 3) bytes.writeInt16BE(Math.floor(chance() * 100) - 5, 0)
  else if (kind === 4 && bytes.length > 12) bytes.writeInt32BE(2 ** 31 - 1, Math.floor(chance() * (bytes.length - 4)))
  else if (kind === 5) bytes.writeInt16BE(Math.floor(chance() * 20), 2)
  else for (let i = 0; i < 1 + chance() * 8; i++) bytes[at()] = Math.floor(chance() * 256)
  return bytes
}

/** Sends a few damaged requests over one connection and leaves. */
function attack(broker: RunningBroker, chance: () => number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(broker.port, broker.host)
    let isOver = false
    const leave = (): void => {
      if (isOver) return
      isOver = true
      socket.destroy()
      resolve()
    }
    socket.on('error', leave)
    socket.on('close', leave)
    socket.on('data', () => undefined)
    socket.on('connect', () => {
      for (let i = 0; i < 1 + chance() * 4; i++) {
        const body = damaged(chance)
        const length = Buffer.alloc(4)
        length.writeInt32BE(chance() < 0.05 ? Math.floor(chance() * 2 ** 32) - 2 ** 31 : body.length)
        socket.write(Buffer.concat([length, body]))
      }
      socket.end()
    })
    // A request that waits by right (a long poll, a join) is not waited for.
    const cancel = setTimeout(leave, 30)
    cancel.unref()
  })
}

test('thousands of damaged requests: the broker answers or hangs up, and lives on', async (t) => {
  const complaints: string[] = []
  const broker = await startBroker({
    topics: { orders: 2 },
    limits: { partitionsMax: 500 },
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (message, detail) =>
        complaints.push(`${message} ${detail instanceof Error ? detail.stack : String(detail)}`),
    },
  })
  t.after(() => broker.close())
  const chance = random(seed)
  for (let round = 0; round < rounds; round += 20) {
    await Promise.all(Array.from({ length: 20 }, () => attack(broker, chance)))
    const client = await RawClient.connect(broker.brokers[0] as string)
    const { apiKeys } = await client.send(apiVersionsApi, 0, {})
    assert(apiKeys.length > 20)
    await client.close()
  }
  t.diagnostic(`${rounds} connections`)
  assert.deepEqual([...new Set(complaints)], [], 'every mistake of a client was foreseen')
})
