/**
 * kill -9 of the stand-alone broker while records are produced with acks=all, again and again on the same data directory.
 * After each restart the whole log is read and held against the ledger: everything acknowledged is there, byte for byte and at
 * its offset; nothing is there that was never sent; no offset is missing.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../scripts/files.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { RawClient } from '../../support/raw-client.ts'

const topic = 'ledger'
const partitions = 3
const pipelined = 5

export interface KillReport {
  readonly rounds: number
  readonly acknowledged: number
  readonly unacknowledgedButKept: number
}

interface Standalone {
  readonly address: string
  kill(): Promise<void>
}

/** What was sent to a partition: the value is the whole truth about a record. */
interface Ledger {
  /** offset → value, for every acknowledged record. */
  readonly acknowledged: Map<number, string>
  readonly sent: Set<string>
}

export async function killRounds(options: { readonly rounds: number; readonly seed: number }): Promise<KillReport> {
  const directory = await mkdtemp(join(tmpdir(), 'fanlane-kill-'))
  const chance = random(options.seed)
  const ledgers: Ledger[] = Array.from({ length: partitions }, () => ({ acknowledged: new Map(), sent: new Set() }))
  let kept = 0
  try {
    for (let round = 0; round < options.rounds; round++) {
      const broker = await startStandalone(directory)
      if (round > 0) kept += await verify(broker.address, ledgers)
      const producers = ledgers.map((ledger, partition) => produce(broker.address, partition, ledger, `${round}`))
      await pause(50 + chance() * 300)
      await broker.kill()
      await Promise.all(producers)
    }
    const last = await startStandalone(directory)
    kept += await verify(last.address, ledgers)
    await last.kill()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  const acknowledged = ledgers.reduce((sum, ledger) => sum + ledger.acknowledged.size, 0)
  return { rounds: options.rounds, acknowledged, unacknowledgedButKept: kept }
}

async function startStandalone(directory: string): Promise<Standalone> {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      join(root, 'src/cli/main.ts'),
      'broker',
      '--data',
      directory,
      '--port',
      '0',
      '--topic',
      `${topic}:${partitions}`,
      '--json',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  assert(child.stdout !== null)
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const { brokers } = JSON.parse(text) as { brokers: string[] }
  return {
    address: brokers[0] as string,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Sends until the connection breaks, a few requests ahead of the answers. */
async function produce(address: string, partition: number, ledger: Ledger, round: string): Promise<void> {
  const client = await RawClient.connect(address, `producer-${partition}`)
  let number = 0
  const one = async (): Promise<void> => {
    for (;;) {
      const values = Array.from(
        { length: 1 + (number % 7) },
        () => `${round}/${partition}/${number++}/${'x'.repeat(number % 500)}`,
      )
      for (const value of values) ledger.sent.add(value)
      const records = encodeBatch({
        records: values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: Date.now() })),
      })
      const answer = await client.send(produceApi, 9, {
        acks: -1,
        timeoutMs: 10_000,
        topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
      })
      const result = answer.responses[0]?.partitionResponses[0]
      assert.equal(result?.errorCode, 0)
      const base = Number(result?.baseOffset)
      for (const [i, value] of values.entries()) ledger.acknowledged.set(base + i, value)
    }
  }
  await Promise.allSettled(Array.from({ length: pipelined }, one))
  await client.close()
}

/** Returns how many records are there that were never acknowledged: allowed, but they must have been sent. */
async function verify(address: string, ledgers: readonly Ledger[]): Promise<number> {
  const client = await RawClient.connect(address, 'reader')
  let extra = 0
  for (const [partition, ledger] of ledgers.entries()) {
    const found = await readAll(client, partition)
    for (const [offset, value] of ledger.acknowledged) {
      assert.equal(found.get(offset), value, `the acknowledged record ${partition}@${offset} is lost or changed`)
    }
    let next = 0
    for (const [offset, value] of found) {
      assert.equal(offset, next++, `a gap before ${partition}@${offset}`)
      assert(ledger.sent.has(value), `${partition}@${offset} was never sent: ${value.slice(0, 60)}`)
    }
    extra += found.size - ledger.acknowledged.size
    // What survived once was seen by a reader: it must survive from now on.
    for (const [offset, value] of found) ledger.acknowledged.set(offset, value)
  }
  await client.close()
  return extra
}

async function readAll(client: RawClient, partition: number): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const cursor = new RecordCursor()
  let offset = 0
  for (;;) {
    const answer = await client.send(fetchApi, 12, {
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: 50_000_000,
      sessionEpoch: -1,
      topics: [{ topic, partitions: [{ partition, fetchOffset: BigInt(offset), partitionMaxBytes: 50_000_000 }] }],
    })
    const data = answer.responses[0]?.partitions[0]
    assert.equal(data?.errorCode, 0)
    const records = data?.records ?? Buffer.alloc(0)
    for (const at of eachBatch(records)) {
      cursor.reset(records, at, 2 ** 24)
      while (cursor.next()) found.set(cursor.offset, cursor.value()?.toString() ?? '')
      offset = cursor.offset + 1
    }
    if (offset >= Number(data?.highWatermark)) return found
  }
}

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
