/**
 * A wire whose brokers are functions, and a clock that jumps to whatever is waited for: what an admin asks, of whom, and
 * what it makes of the answers, without a socket and without waiting.
 */
import { type Answer, type AskOptions, anyNode, type Question, type Wire } from '../../../src/cluster/wire.ts'
import { FanlaneError } from '../../../src/errors.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Api } from '../../../src/protocol/api.ts'
import { Reader } from '../../../src/protocol/reader.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { Writer } from '../../../src/protocol/writer.ts'

export class JumpingClock implements Clock {
  #nowMs = 1_000_000

  now(): number {
    return this.#nowMs
  }

  random(): number {
    return 1
  }

  at(timeMs: number, callback: () => void): () => void {
    const timer = setImmediate(() => {
      this.#nowMs = Math.max(this.#nowMs, timeMs)
      callback()
    })
    return () => clearImmediate(timer)
  }

  soon(callback: () => void): void {
    setImmediate(callback)
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }
}

/** null: silence, for as long as the question may take. 'unserved': the broker is too old for this API. */
export type Scripted = object | null | 'unserved'

/** What tests look at, of all requests together. */
export interface SeenRequest {
  readonly topics: readonly { readonly name: string; readonly partitions: readonly { partitionIndex: number }[] }[]
  readonly topicNames: readonly string[]
  readonly groupsNames: readonly string[]
  readonly coordinatorKeys: readonly string[]
  readonly key: string
}

export interface Asked {
  readonly node: number
  readonly api: string
  readonly request: SeenRequest
  readonly timeoutMs: number
}

export type Script = (asked: Asked) => Scripted

export class ScriptedWire implements Wire {
  readonly clock: JumpingClock = new JumpingClock()
  readonly asked: Asked[] = []
  isOpen = true
  readonly #script: Script
  readonly #versions: Readonly<Record<string, number>>

  /** `versions`: the newest that the brokers serve of an API; without it, ours. */
  constructor(script: Script, versions: Readonly<Record<string, number>> = {}) {
    this.#script = script
    this.#versions = versions
  }

  async ask<Q, R>(
    node: number,
    api: Api<Q, R>,
    question: Question<Q>,
    { timeoutMs = 30_000, maxVersion = api.maxVersion }: AskOptions = {},
  ): Promise<Answer<R> | null> {
    const version = Math.min(this.#versions[api.name] ?? api.maxVersion, maxVersion)
    const written = typeof question === 'function' ? (question as (version: number) => Input<Q>)(version) : question
    const writer = new Writer()
    api.writeRequest(writer, written, version)
    const request = api.readRequest(new Reader(writer.toBuffer()), version) as unknown as SeenRequest
    const asked = { node, api: api.name, request, timeoutMs }
    this.asked.push(asked)
    const answer = this.#script(asked)
    if (answer === 'unserved') throw new FanlaneError('UNSUPPORTED_VERSION', `no ${api.name} here`)
    if (answer === null) {
      this.clock.pass(timeoutMs)
      return null
    }
    const answered = new Writer()
    api.writeResponse(answered, answer as Input<R>, version)
    const body = api.readResponse(new Reader(answered.toBuffer()), version)
    return { body, version, node: node === anyNode ? 1 : node }
  }

  post(): Promise<boolean> {
    return Promise.resolve(false)
  }

  learnNodes(): void {
    // Every node can be asked here.
  }

  featureLevel(): number {
    return 0
  }
}
