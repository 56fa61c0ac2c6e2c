/**
 * A broker in a worker thread of its own: a handler that blocks the event loop of the user's code does not stop heartbeats,
 * sessions or other clients. The same interface as a broker in this thread.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { FanlaneError } from '../../errors.ts'
import type { BrokerLog } from '../broker-log.ts'
import { silentLog } from '../broker-log.ts'
import type { BrokerFaults } from '../faults/faults.ts'
import type { PlantedFault } from '../faults/planted.ts'
import type { BrokerOptions } from '../options.ts'
import type { RunningBroker } from '../start.ts'
import type { FaultAnswer, FaultName, FromThread, ToThread } from './messages.ts'

const faultAnswerMaxMs = 10_000

export async function startIsolated(options: BrokerOptions): Promise<RunningBroker> {
  const { clock: _clock, logger = silentLog, isolate: _isolate, ...portable } = options
  const answered = new SharedArrayBuffer(4)
  const { port1: faultPort, port2 } = new MessageChannel()
  // Source files run as they are in development; the published package has only their JavaScript.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./thread.${extension}`, import.meta.url), {
    workerData: { options: portable, answered, faultPort: port2 },
    transferList: [port2],
    name: 'fanlane broker',
  })
  faultPort.unref()
  const ended = endOf(worker)
  const { brokers, host, port } = await started(worker, logger)
  let isOver = false
  void ended.then(() => {
    isOver = true
    faultPort.close()
  })
  const close = async (): Promise<void> => {
    const message: ToThread = { kind: 'close' }
    worker.postMessage(message)
    // It may have ended long ago, by itself.
    const error = await ended
    if (error !== undefined) throw error
  }
  return {
    brokers,
    host,
    port,
    faults: remoteFaults(new FaultCaller(faultPort, new Int32Array(answered), () => isOver)),
    failed: failed(worker),
    unref: () => worker.unref(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Resolves when the thread is gone, with what went wrong while the broker was closed. */
function endOf(worker: Worker): Promise<FanlaneError | undefined> {
  return new Promise((resolve) => {
    let problem: FanlaneError | undefined
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'close-failed') problem = new FanlaneError(message.code, message.message)
    })
    worker.once('exit', () => resolve(problem))
  })
}

function started(worker: Worker, logger: BrokerLog): Promise<Extract<FromThread, { kind: 'started' }>> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'started') resolve(message)
      else if (message.kind === 'refused') {
        reject(new FanlaneError(message.code, message.message, { cause: message.error }))
        void worker.terminate()
      } else if (message.kind === 'log') logger[message.level](message.message)
    })
    worker.once('error', (cause) => {
      reject(
        new FanlaneError(
          'BROKER_FAILED',
          `The broker's thread failed: ${said(cause)} See that it can run in a worker thread, or start it without isolate.`,
          { cause },
        ),
      )
    })
    worker.once('exit', (code) => {
      if (code !== 0) logger.error(`the broker's thread ended with code ${code}`)
      reject(
        new FanlaneError(
          'BROKER_FAILED',
          `The broker's thread ended with code ${code} before it was ready. Start it without isolate to see why.`,
        ),
      )
    })
  })
}

/** The thread reports a failure and ends. */
function failed(worker: Worker): Promise<FanlaneError> {
  return new Promise((resolve) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'failed') resolve(new FanlaneError(message.code, message.message))
    })
    worker.once('error', (cause) =>
      resolve(
        new FanlaneError('BROKER_FAILED', `The broker's thread failed: ${said(cause)} Start it again.`, { cause }),
      ),
    )
  })
}

/** As the beginning of a sentence that goes on. */
function said(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return `${message.replace(/\.$/, '')}.`
}

class FaultCaller {
  readonly #port: MessagePort
  readonly #counter: Int32Array
  readonly #isOver: () => boolean

  constructor(port: MessagePort, counter: Int32Array, isOver: () => boolean) {
    this.#port = port
    this.#counter = counter
    this.#isOver = isOver
  }

  call(name: FaultName, ...argumentsOf: readonly unknown[]): unknown {
    if (this.#isOver()) throw new FanlaneError('BROKER_FAULT_FAILED', 'The broker is closed: it can fail no more.')
    const before = Atomics.load(this.#counter, 0)
    const message: ToThread = { kind: 'fault', name, arguments: argumentsOf }
    this.#port.postMessage(message)
    if (Atomics.wait(this.#counter, 0, before, faultAnswerMaxMs) === 'timed-out') {
      throw new FanlaneError(
        'BROKER_FAULT_FAILED',
        `The broker's thread did not answer within ${faultAnswerMaxMs} ms. Is it closed?`,
      )
    }
    const answer = receiveMessageOnPort(this.#port)?.message as FaultAnswer | undefined
    if (answer === undefined)
      throw new FanlaneError('BROKER_FAULT_FAILED', 'The answer of the broker got lost: plant the fault again.')
    if ('code' in answer) throw new FanlaneError(answer.code, answer.message)
    return answer.value
  }
}

function remoteFaults(caller: FaultCaller): BrokerFaults {
  const plant = (name: 'inject' | 'disk', fault: object): PlantedFault => {
    for (const value of Object.values(fault)) {
      if (typeof value !== 'function') continue
      throw new FanlaneError(
        'BROKER_FAULT_NOT_PORTABLE',
        "A function cannot travel into the broker's thread: match by api, topic, group and clientId, or start the broker without isolate.",
      )
    }
    const number = caller.call(name, fault)
    return {
      get hits() {
        return caller.call('hits', number) as number
      },
      remove: () => {
        caller.call('remove', number)
      },
    }
  }
  return {
    inject: (fault) => plant('inject', fault),
    disk: (fault) => plant('disk', fault),
    rebalance: (group) => caller.call('rebalance', group) === true,
    expireSession: (group, memberId) => caller.call('expireSession', group, memberId) === true,
    moveCoordinator: () => void caller.call('moveCoordinator'),
    clear: () => void caller.call('clear'),
  }
}
