/** A native client on the simulated wire, with short times. */
import { resolveAssignors } from '../../../../../src/clients/native/group/assignors/index.ts'
import { InlineHeartbeats } from '../../../../../src/clients/native/group/inline-heartbeats.ts'
import { NativeClient } from '../../../../../src/clients/native/native-client.ts'
import type { NativeOptions, StartFrom } from '../../../../../src/clients/native/options.ts'
import type { Clock } from '../../../../../src/ports/clock.ts'
import { coreOptions } from '../../../../../src/producer/options.ts'
import { SimWire } from '../../../../../src/testing/sim/wire/sim-wire.ts'
import type { SimTransport } from '../../../../../src/testing/sim/wire/transport.ts'

/** What tests choose. */
export interface ClientChoices {
  readonly group?: string
  readonly topics?: readonly string[]
  readonly rebalance?: 'eager' | 'cooperative'
  readonly sessionTimeoutMs?: number
  readonly rebalanceTimeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly instanceId?: string
  readonly transactionalId?: string
  readonly transactionalIdIsGenerated?: boolean
  readonly transactionTimeoutMs?: number
  readonly startFrom?: StartFrom
  readonly partitionMaxBytes?: number
}

export function simClient(
  name: string,
  clock: Clock,
  transport: SimTransport,
  choices: ClientChoices = {},
): NativeClient {
  const options = optionsOf(choices)
  const { requestTimeoutMs } = options
  const wire = new SimWire({ clock, transport, clientId: name, requestTimeoutMs })
  return new NativeClient(options, {
    wire,
    makeHeartbeater: (listener) => new InlineHeartbeats(wire, listener),
  })
}

export function optionsOf(choices: ClientChoices): NativeOptions {
  const { rebalance = 'cooperative', transactionalId, instanceId = null } = choices
  const backoff = { backoffMs: 20, backoffMaxMs: 500 }
  return {
    group: choices.group ?? 'g',
    topics: { names: choices.topics ?? ['in'], matches: null },
    partitions: null,
    assignors: resolveAssignors([rebalance === 'eager' ? 'roundrobin' : 'cooperative-sticky']),
    protocol: 'classic',
    serverAssignor: null,
    sessionTimeoutMs: choices.sessionTimeoutMs ?? 10_000,
    rebalanceTimeoutMs: choices.rebalanceTimeoutMs ?? 20_000,
    heartbeatMs: 1_000,
    maxPollIntervalMs: 300_000,
    instanceId,
    rackId: null,
    metadataMaxAgeMs: 300_000,
    isolation: 'read_committed',
    startFrom: choices.startFrom ?? 'earliest',
    fetchMaxWaitMs: 500,
    fetchMinBytes: 1,
    fetchMaxBytes: 1_000_000,
    partitionMaxBytes: choices.partitionMaxBytes ?? 200_000,
    requestTimeoutMs: choices.requestTimeoutMs ?? 3_000,
    backoff,
    produce: {
      ...coreOptions({}),
      backoff,
      maxBufferBytes: Number.POSITIVE_INFINITY,
      deliveryTimeoutMs: Number.POSITIVE_INFINITY,
      unknownTopicMs: 500,
    },
    transaction:
      transactionalId === undefined
        ? null
        : {
            transactionalId,
            isGenerated: choices.transactionalIdIsGenerated ?? true,
            timeoutMs: choices.transactionTimeoutMs ?? 15_000,
          },
  }
}
