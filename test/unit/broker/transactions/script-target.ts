/**
 * The coordinator and the producer states as a target of the conformance scripts, as far as those go without groups and
 * sockets: what Apache Kafka answered there must come out here.
 */

import { errorName } from '../../../../src/protocol/errors.ts'
import { readMarker } from '../../../../src/protocol/record-batch/control.ts'
import * as header from '../../../../src/protocol/record-batch/header.ts'
import type { LogBatch } from '../../../../src/testing/sim/cluster/log-messages.ts'
import type { Request, RequestOf, Response } from '../../../../src/testing/sim/cluster/requests.ts'
import type { Control, Script } from '../../../conformance/script.ts'
import type { Exchange, ScriptTarget } from '../../../conformance/script-runner.ts'
import { World } from './world.ts'

const kinds: readonly string[] = [
  'InitProducerId',
  'AddPartitionsToTxn',
  'AddOffsetsToTxn',
  'EndTxn',
  'Produce',
  'TxnOffsetCommit',
  'Fetch',
  'ListOffsets',
]
const controls: readonly string[] = ['holdMarkers', 'releaseMarkers', 'awaitMarkers']

/** Scripts about other things are left to the whole broker. */
export function isPlayable({ steps }: Script): boolean {
  return steps.every((step) => {
    if (step.kind === 'send') return kinds.includes(step.ask.kind) && step.id === null
    return step.kind === 'advance' || (step.kind === 'control' && controls.includes(step.control.kind))
  })
}

export class CoordinatorTarget implements ScriptTarget {
  #world = new World({})

  async open(script: Script): Promise<void> {
    const topics = Object.entries(script.topics ?? {}).map(([name, spec]) => [
      name,
      typeof spec === 'string' ? 1 : spec.partitions,
    ])
    this.#world = new World(Object.fromEntries(topics))
  }

  async send(_actor: string, request: Request): Promise<Exchange> {
    const answer = await this.#answer(request)
    await this.#world.settle()
    return { answered: true, answer: async () => answer as Response }
  }

  async advance(ms: number): Promise<void> {
    this.#world.clock.advance(ms)
    await this.#world.settle()
  }

  async control(control: Control): Promise<void> {
    if (control.kind === 'holdMarkers')
      this.#world.held.add(control.of === 'group' ? '__consumer_offsets' : control.of.topic)
    if (control.kind === 'releaseMarkers') this.#world.releaseMarkers()
    await this.#world.settle()
  }

  otherNode(node: number): number {
    return node + 1
  }

  async close(): Promise<void> {
    this.#world.coordinator.close()
  }

  async #answer(request: Request): Promise<unknown> {
    const { coordinator } = this.#world
    const { kind } = request
    switch (kind) {
      case 'FindCoordinator':
        return { kind, errorCode: 'NONE', nodeId: 1 }
      case 'InitProducerId': {
        const { error, ...id } = await coordinator.initProducerId({ version: 5, ...request })
        return { kind, errorCode: errorName(error), ...id }
      }
      case 'AddPartitionsToTxn': {
        const errors = await coordinator.addPartitions({ version: 3, verifyOnly: false, ...request })
        return { kind, partitions: request.partitions.map((at, i) => ({ ...at, errorCode: errorName(errors[i]!) })) }
      }
      case 'AddOffsetsToTxn':
        return { kind, errorCode: errorName(await coordinator.addOffsets({ version: 4, ...request })) }
      case 'EndTxn':
        return { kind, errorCode: errorName((await coordinator.endTxn({ version: 4, ...request })).error) }
      case 'TxnOffsetCommit': {
        const errorCode = errorName(coordinator.verifyOffsets({ version: 4, ...request }))
        return { kind, partitions: request.partitions.map((at) => ({ ...at, errorCode })) }
      }
      case 'Produce':
        return { kind, partitions: request.partitions.map((part) => this.#produce(request.transactionalId, part)) }
      case 'Fetch':
        return { kind, errorCode: 'NONE', partitions: request.partitions.map((part) => this.#fetch(request, part)) }
      case 'ListOffsets':
        return { kind, partitions: request.partitions.map((part) => ({ ...part, ...this.#end(request, part) })) }
      default:
        throw new Error(`not played here: ${kind}`)
    }
  }

  #produce(transactionalId: string | null, part: RequestOf<'Produce'>['partitions'][number]): unknown {
    const { topic, partition, producerId, producerEpoch, baseSequence, isTransactional, records } = part
    const at = { topic, partition }
    const refuse = (errorCode: string) => ({ ...at, errorCode, baseOffset: -1 })
    if (!this.#world.partitions.has(`${topic}/${partition}`)) return refuse('UNKNOWN_TOPIC_OR_PARTITION')
    if (records.some(({ size }) => size > 1_048_588)) return refuse('MESSAGE_TOO_LARGE')
    const log = this.#world.partition(topic, partition)
    const baseOffset = log.end
    const fields = { producerId, epoch: producerEpoch, sequence: baseSequence, count: records.length }
    const batch = { ...fields, transactional: isTransactional }
    const { verdict } = this.#world.produce(11, transactionalId, topic, partition, batch, JSON.stringify(records))
    if (verdict.kind === 'refused') return refuse(errorName(verdict.error))
    return { ...at, errorCode: 'NONE', baseOffset: verdict.kind === 'duplicate' ? verdict.baseOffset : baseOffset }
  }

  #end(
    { isolationLevel }: { isolationLevel: string },
    { topic, partition }: { topic: string; partition: number },
  ): { errorCode: string; offset: number } {
    const log = this.#world.partition(topic, partition)
    const stable = Math.min(log.end, log.states.firstUndecidedOffset)
    return { errorCode: 'NONE', offset: isolationLevel === 'read_committed' ? stable : log.end }
  }

  #fetch(request: RequestOf<'Fetch'>, part: RequestOf<'Fetch'>['partitions'][number]): unknown {
    const { topic, partition, fetchOffset } = part
    const log = this.#world.partition(topic, partition)
    const isCommitted = request.isolationLevel === 'read_committed'
    const lastStableOffset = Math.min(log.end, log.states.firstUndecidedOffset)
    const to = isCommitted ? lastStableOffset : log.end
    const batches = log.file.entries
      .filter(({ batch }) => header.lastOffset(batch, 0) >= fetchOffset && header.baseOffset(batch, 0) < to)
      .map(({ batch, note }) => batchOf(batch, note))
    const abortedTransactions = isCommitted ? log.states.abortedBetween(fetchOffset, to) : null
    return {
      topic,
      partition,
      errorCode: 'NONE',
      highWatermark: log.end,
      lastStableOffset,
      abortedTransactions,
      batches,
    }
  }
}

function batchOf(batch: Buffer, note: string): LogBatch {
  const baseOffset = header.baseOffset(batch, 0)
  const fields = {
    baseOffset,
    lastOffset: header.lastOffset(batch, 0),
    producerId: header.producerId(batch, 0),
    producerEpoch: header.producerEpoch(batch, 0),
    baseSequence: header.baseSequence(batch, 0),
    isTransactional: header.isTransactional(batch, 0),
  }
  if (header.isControl(batch, 0)) {
    const type = readMarker(batch, 0)?.kind === 'commit' ? 'COMMIT' : 'ABORT'
    return { kind: 'control', type, ...fields } as unknown as LogBatch
  }
  const records = (JSON.parse(note) as object[]).map((record, i) => ({ ...record, offset: baseOffset + i }))
  return { kind: 'data', ...fields, records } as unknown as LogBatch
}
