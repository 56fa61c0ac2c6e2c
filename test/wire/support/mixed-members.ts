/**
 * Members of a group that are not ours: Kafka's Java consumer, librdkafka, KafkaJS. The first two live in one process each,
 * which takes orders by line; what they do stands in the same ledger.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Kafka, logLevel } from 'kafkajs'
import { argumentsFor } from '../../support/java.ts'
import { unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import type { Ledger } from './ledger.ts'

export interface Seat {
  readonly group: string
  readonly topic: string
  readonly member: string
  readonly ledger: Ledger
  readonly settings: Readonly<Record<string, string>>
}

export interface OtherMember {
  /** In the ledger. */
  readonly name: string
  /** As `topic-partition`. */
  readonly held: ReadonlySet<string>
  /** Finishes, commits, and leaves the group. */
  leave(): Promise<void>
}

export interface OtherClient {
  join(seat: Seat): Promise<OtherMember>
  close(): Promise<void>
}

const logMaxChars = 2_000

class Program implements OtherClient {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #directory = mkdtempSync(join(tmpdir(), 'fanlane-mixed-'))
  readonly #held = new Map<string, Set<string>>()
  readonly #left = new Set<string>()
  #trouble = ''
  /** Its log: a commit that meets a rebalance stands there as an error and is none. */
  #log = ''

  constructor(file: string, args: readonly string[]) {
    this.#child = spawn(file, args, { stdio: 'pipe' })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-logMaxChars)
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line))
  }

  #hear(line: string): void {
    const [what, member = '', more = ''] = line.split('\t')
    const held = this.#held.get(member)
    if (what === 'left') this.#left.add(member)
    else if (what === 'holds') {
      held?.clear()
      for (const each of more.split(',')) if (each !== '') held?.add(each)
    } else this.#trouble += `${line}\n`
  }

  join({ group, topic, member, ledger, settings }: Seat): Promise<OtherMember> {
    const name = unique(member)
    const file = join(this.#directory, name)
    writeFileSync(file, '')
    ledger.include(file)
    const held = new Set<string>()
    this.#held.set(name, held)
    const more = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
    this.#order('join', name, group, topic, file, ...more)
    const leave = async (): Promise<void> => {
      this.#order('leave', name)
      await until(`${name} has left`, () => {
        this.#check()
        return this.#left.has(name)
      })
      held.clear()
    }
    return Promise.resolve({ name, held, leave })
  }

  #order(...fields: readonly string[]): void {
    this.#check()
    this.#child.stdin.write(`${fields.join('\t')}\n`)
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGKILL')
      await ended
    }
    rmSync(this.#directory, { recursive: true, force: true })
    this.#check()
  }

  #check(): void {
    if (this.#trouble !== '') throw new Error(`${this.#trouble}${this.#log}`)
  }
}

export async function javaClient(brokers: readonly string[]): Promise<OtherClient> {
  return new Program('java', await argumentsFor('GroupMember', [brokers.join(',')]))
}

export function librdkafkaClient(brokers: readonly string[], python: string): OtherClient {
  return new Program(python, ['-B', join(import.meta.dirname, 'mixed-member.py'), brokers.join(',')])
}

/** It commits behind every record; it has no way to wait for anything when partitions go. */
export function kafkaJsClient(brokers: readonly string[]): OtherClient {
  const kafka = new Kafka({ clientId: unique('kafkajs'), brokers: [...brokers], logLevel: logLevel.NOTHING })
  return {
    async join({ group, topic, member, ledger }) {
      const consumer = kafka.consumer({ groupId: group, heartbeatInterval: 200, maxWaitTimeInMs: 100 })
      const name = unique(member)
      const held = new Set<string>()
      consumer.on('consumer.group_join', ({ payload }) => {
        held.clear()
        for (const partition of payload.memberAssignment[topic] ?? []) held.add(`${topic}-${partition}`)
      })
      await consumer.connect()
      await consumer.subscribe({ topics: [topic], fromBeginning: true })
      await consumer.run({
        autoCommitThreshold: 1,
        eachMessage: ({ partition, message }) => {
          const { key, value } = message
          const record = { topic, partition, offset: Number(message.offset), key, value }
          ledger.start(name, record)
          ledger.end(name, record)
          return Promise.resolve()
        },
      })
      const leave = async (): Promise<void> => {
        await consumer.disconnect()
        held.clear()
      }
      return { name, held, leave }
    },
    close: () => Promise.resolve(),
  }
}
