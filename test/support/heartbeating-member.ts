/**
 * A group member in a worker thread: joins, then sends heartbeats whatever the main thread does. Shared counters tell how many
 * were answered well and how many were not.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { errorCodes } from '../../src/protocol/errors.ts'
import { joinGroupApi } from '../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../src/protocol/generated/12-heartbeat.ts'
import { syncGroupApi } from '../../src/protocol/generated/14-sync-group.ts'
import { RawClient } from './raw-client.ts'

interface MemberData {
  readonly address: string
  readonly groupId: string
  readonly sessionTimeoutMs: number
  readonly counters: SharedArrayBuffer
}

const good = 0
const bad = 1
const everyMs = 20

export class HeartbeatingMember {
  readonly #worker: Worker
  readonly #counters: Int32Array

  private constructor(worker: Worker, counters: Int32Array) {
    this.#worker = worker
    this.#counters = counters
  }

  static async join(address: string, groupId: string, sessionTimeoutMs: number): Promise<HeartbeatingMember> {
    const counters = new SharedArrayBuffer(8)
    const data: MemberData = { address, groupId, sessionTimeoutMs, counters }
    const worker = new Worker(new URL(import.meta.url), { workerData: data })
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    return new HeartbeatingMember(worker, new Int32Array(counters))
  }

  get answered(): number {
    return Atomics.load(this.#counters, good)
  }

  get refused(): number {
    return Atomics.load(this.#counters, bad)
  }

  /** Blocks this thread until the member has got so many more good answers. False: not within the time. */
  blockUntilAnswered(more: number, maxMs: number): boolean {
    const wanted = this.answered + more
    const end = Date.now() + maxMs
    while (this.answered < wanted) {
      if (Date.now() > end) return false
      Atomics.wait(this.#counters, good, this.answered, 50)
    }
    return true
  }

  async leave(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Blocks this thread, event loop and all. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

async function beat({ address, groupId, sessionTimeoutMs, counters }: MemberData): Promise<void> {
  const counts = new Int32Array(counters)
  const client = await RawClient.connect(address, 'member')
  const join = (memberId: string) =>
    client.send(joinGroupApi, 5, {
      groupId,
      sessionTimeoutMs,
      rebalanceTimeoutMs: 10_000,
      memberId,
      protocolType: 'test',
      protocols: [{ name: 'any', metadata: Buffer.alloc(0) }],
    })
  const { memberId } = await join('')
  const { generationId } = await join(memberId)
  const synced = await client.send(syncGroupApi, 3, {
    groupId,
    generationId,
    memberId,
    assignments: [{ memberId, assignment: Buffer.from('all') }],
  })
  if (synced.errorCode !== errorCodes.NONE) throw new Error(`sync was refused with ${synced.errorCode}`)
  parentPort?.postMessage('joined')
  for (;;) {
    const { errorCode } = await client.send(heartbeatApi, 3, { groupId, generationId, memberId })
    Atomics.add(counts, errorCode === errorCodes.NONE ? good : bad, 1)
    Atomics.notify(counts, good)
    await sleep(everyMs)
  }
}

if (!isMainThread && workerData !== null && typeof workerData === 'object' && 'sessionTimeoutMs' in workerData) {
  await beat(workerData as MemberData)
}
