/**
 * The inside of an isolated broker: runs the broker in this worker thread and does what the outside asks.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { FanlaneError } from '../../errors.ts'
import type { BrokerLog } from '../broker-log.ts'
import type { DiskFault } from '../faults/faulty-disk.ts'
import type { PlantedFault } from '../faults/planted.ts'
import type { RequestFault } from '../faults/request-faults.ts'
import { type RunningBroker, startInProcess } from '../start.ts'
import type { FaultAnswer, FromThread, ThreadData, ToThread } from './messages.ts'

const { options, answered, faultPort } = workerData as ThreadData & { readonly faultPort: MessagePort }
const counter = new Int32Array(answered)
const planted: PlantedFault[] = []

function say(message: FromThread): void {
  parentPort?.postMessage(message)
}

const logger: BrokerLog = {
  debug: (message) => say({ kind: 'log', level: 'debug', message }),
  info: (message) => say({ kind: 'log', level: 'info', message }),
  warn: (message) => say({ kind: 'log', level: 'warn', message }),
  error: (message, detail) =>
    say({ kind: 'log', level: 'error', message: `${message}${detail === undefined ? '' : `: ${String(detail)}`}` }),
}

function callFault(broker: RunningBroker, message: ToThread & { kind: 'fault' }): unknown {
  const [first, second] = message.arguments
  const { faults } = broker
  switch (message.name) {
    case 'inject':
      return planted.push(faults.inject(first as RequestFault)) - 1
    case 'disk':
      return planted.push(faults.disk(first as DiskFault)) - 1
    case 'hits':
      return planted[first as number]?.hits
    case 'remove':
      return planted[first as number]?.remove()
    case 'rebalance':
      return faults.rebalance(first as string)
    case 'expireSession':
      return faults.expireSession(first as string, second as string | undefined)
    case 'moveCoordinator':
      return faults.moveCoordinator()
    case 'clear':
      return faults.clear()
  }
}

function answerFault(broker: RunningBroker, message: ToThread & { kind: 'fault' }): FaultAnswer {
  try {
    return { value: callFault(broker, message) }
  } catch (error) {
    return {
      code: error instanceof FanlaneError ? error.code : 'BROKER_FAULT_FAILED',
      message: error instanceof Error ? error.message : String(error),
    }
  }
}

async function main(): Promise<void> {
  const broker = await startInProcess({ ...options, logger })
  faultPort.on('message', (message: ToThread & { kind: 'fault' }) => {
    faultPort.postMessage(answerFault(broker, message))
    Atomics.add(counter, 0, 1)
    Atomics.notify(counter, 0)
  })
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind !== 'close') return
    endWith(broker)
  })
  void broker.failed.then(({ code, message }) => {
    say({ kind: 'failed', code, message })
    endWith(broker)
  })
  const { brokers, host, port } = broker
  say({ kind: 'started', brokers, host, port })
}

/** Without its ports the thread has nothing to stay for. */
function endWith(broker: RunningBroker): void {
  broker
    .close()
    .then(
      () => say({ kind: 'closed' }),
      (error: unknown) => say({ kind: 'close-failed', ...told(error) }),
    )
    .finally(() => {
      faultPort.close()
      parentPort?.close()
    })
}

function told(error: unknown): { code: string; message: string } {
  const code = error instanceof FanlaneError ? error.code : 'BROKER_FAILED'
  return { code, message: error instanceof Error ? error.message : String(error) }
}

function refuse(error: unknown): void {
  say({ kind: 'refused', error, ...told(error) })
}

main().catch(refuse)
