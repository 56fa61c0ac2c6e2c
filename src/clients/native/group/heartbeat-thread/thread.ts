/** The inside of the heartbeat thread: one speaker and one cluster for every client that the main side opens. */
import { parentPort, workerData } from 'node:worker_threads'
import { Cluster } from '../../../../cluster/net/cluster.ts'
import type { SaslOptions } from '../../../../cluster/net/options.ts'
import { SystemClock } from '../../../../system-clock.ts'
import { LoopWatch } from './loop-watch.ts'
import { type FromThread, type OpenMessage, portable, type ThreadData, type ToThread, unpack } from './messages.ts'
import { Speaker } from './speaker.ts'
import { Tokens } from './tokens.ts'

interface Client {
  readonly cluster: Cluster
  readonly speaker: Speaker
  readonly tokens: Tokens
}

const clock = new SystemClock()
const turns = new Int32Array((workerData as ThreadData).turns)
const clients = new Map<number, Client>()
const watch = new LoopWatch(clock, {
  ask: (number) => say({ kind: 'turn?', number }),
  answered: () => Atomics.load(turns, 0),
})

function say(message: FromThread): void {
  parentPort?.postMessage(message)
}

function open({ client, options, maxPollIntervalMs }: OpenMessage): void {
  const tokens = new Tokens(clock, () => say({ kind: 'token?', client }))
  const { sasl, ...rest } = options
  const login = sasl === undefined ? {} : { sasl: withTokens(sasl, tokens) }
  const cluster = new Cluster({ ...rest, ...login, clock })
  const speaker = new Speaker(cluster, watch, maxPollIntervalMs, {
    answered: (pulse, answer) => say({ kind: 'answered', client, pulse, answer }),
    overdue: (pulse) => say({ kind: 'overdue', client, pulse }),
    failed: (error) => {
      // A token that has expired while nobody was there to give another one: that is no refusal yet.
      if (!tokens.isOld) say({ kind: 'failed', client, error: portable(error) })
    },
  })
  clients.set(client, { cluster, speaker, tokens })
}

function withTokens(sasl: NonNullable<OpenMessage['options']['sasl']>, tokens: Tokens): SaslOptions {
  return sasl.mechanism === 'oauthbearer' ? { mechanism: 'oauthbearer', token: () => tokens.next() } : sasl
}

async function close(number: number): Promise<void> {
  const client = clients.get(number)
  clients.delete(number)
  await client?.speaker.close()
  await client?.cluster.close()
}

parentPort?.on('message', (message: ToThread) => {
  const client = clients.get(message.client)
  switch (message.kind) {
    case 'open':
      open(message)
      break
    case 'set':
      client?.speaker.set(message.pulse)
      break
    case 'beat':
      client?.speaker.beatNow()
      break
    case 'token':
      if ('value' in message.token) client?.tokens.given(message.token)
      else client?.tokens.failed(unpack(message.token))
      break
    case 'close':
      close(message.client).catch((error: unknown) =>
        say({ kind: 'failed', client: message.client, error: portable(error) }),
      )
      break
  }
})
