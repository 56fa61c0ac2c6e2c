/**
 * server.properties of one node of a test cluster: a combined broker and controller on loopback.
 * Where nothing is said, Kafka's own default holds; what is changed here only makes tests quick or allows small time-outs.
 */
import { join } from 'node:path'

export type NodePorts = {
  readonly plain: number
  readonly sasl: number
  readonly controller: number
  /** A second plain listener that advertises another port: clients of it come through a proxy. */
  readonly proxied?: { readonly listen: number; readonly advertise: number }
}

/** Who may log in on the SASL listener, with PLAIN and both SCRAM mechanisms. */
export const saslUser = { username: 'tester', password: 'tester-secret' } as const
export const scramMechanisms = ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

/** What makes tests quick and lets them use small time-outs; the embedded broker gets the same. */
export const quickSettings = {
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 100,
  'group.consumer.heartbeat.interval.ms': 200,
  'group.consumer.min.heartbeat.interval.ms': 100,
  'group.consumer.min.session.timeout.ms': 1000,
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': 200,
  'log.cleaner.backoff.ms': 500,
  'log.retention.check.interval.ms': 500,
} as const

const host = '127.0.0.1'

/** Properties by name; `overrides` win. */
export function nodeSettings(
  id: number,
  all: readonly NodePorts[],
  dataDir: string,
  overrides: Readonly<Record<string, string | number | boolean>>,
): Record<string, string | number | boolean> {
  const ports = all[id - 1] as NodePorts
  const replicas = Math.min(3, all.length)
  const listeners = [
    ['PLAINTEXT', 'PLAINTEXT', ports.plain, ports.plain],
    ['SASL', 'SASL_PLAINTEXT', ports.sasl, ports.sasl],
    ['CONTROLLER', 'PLAINTEXT', ports.controller, ports.controller],
  ] as [string, string, number, number][]
  if (ports.proxied !== undefined) {
    listeners.push(['PROXIED', 'PLAINTEXT', ports.proxied.listen, ports.proxied.advertise])
  }
  const { username, password } = saslUser
  const jaas = 'listener.name.sasl'
  return {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': all.map(({ controller }, i) => `${i + 1}@${host}:${controller}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    listeners: listeners.map(([name, , listen]) => `${name}://${host}:${listen}`).join(','),
    'advertised.listeners': listeners.map(([name, , , advertise]) => `${name}://${host}:${advertise}`).join(','),
    'listener.security.protocol.map': listeners.map(([name, protocol]) => `${name}:${protocol}`).join(','),
    'log.dirs': join(dataDir, 'data'),

    [`${jaas}.sasl.enabled.mechanisms`]: ['PLAIN', ...scramMechanisms].join(','),
    [`${jaas}.plain.sasl.jaas.config`]: `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    ...Object.fromEntries(
      scramMechanisms.map((mechanism) => [
        `${jaas}.${mechanism.toLowerCase()}.sasl.jaas.config`,
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      ]),
    ),

    'default.replication.factor': replicas,
    'min.insync.replicas': Math.max(1, replicas - 1),
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': Math.max(1, replicas - 1),
    'offsets.topic.num.partitions': 6,
    'transaction.state.log.num.partitions': 6,

    ...quickSettings,
    'log.cleaner.dedupe.buffer.size': 4 << 20,
    'log.initial.task.delay.ms': 500,
    'num.network.threads': 2,
    'num.io.threads': 4,
    ...overrides,
  }
}

/** In the format of java.util.Properties: a backslash and line ends are the only things to escape in our values. */
export const toProperties = (settings: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`)
    .join('')
