/**
 * The wire of the simulator says the same as the simulated cluster: every script is replayed on two clusters side by side.
 * One is asked directly; to the other each request goes as the message that a client sends to Apache Kafka, and its answer
 * comes back as the message that a client reads. The answers must be equal.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { anyNode } from '../../src/cluster/wire.ts'
import type { RequestKind, RequestOf, Response, Request as SimRequest } from '../../src/testing/sim/cluster/requests.ts'
import { VirtualClock } from '../../src/testing/sim/virtual-clock.ts'
import { SimWire } from '../../src/testing/sim/wire/sim-wire.ts'
import type { Control, Script } from './script.ts'
import type { Exchange, ScriptTarget } from './script-runner.ts'
import { runScript } from './script-runner.ts'
import { scripts } from './scripts/index.ts'
import { SimTarget } from './sim-target.ts'
import { type Names, translate } from './wire/translate.ts'

const names: Names = { topic: (name) => name, scriptTopic: (name) => name, id: (name) => name }
/** With one node every partition has the same leader, whatever a script asks for together. */
const onlyNode = 1

/** A simulated cluster behind a wire. */
class WiredTarget implements ScriptTarget {
  readonly #cluster = new SimTarget()
  #inFlight: { readonly exchange: Exchange; readonly resolve: (response: Response) => void }[] = []

  open(script: Script): Promise<void> {
    return this.#cluster.open(script)
  }

  async send(actor: string, request: SimRequest): Promise<Exchange> {
    const { api, version, request: question, understand } = translate(request, names)
    const wire = new SimWire({
      clock: new VirtualClock(1),
      transport: { call: (sent) => this.#call(actor, sent) as never },
      clientId: request.kind === 'JoinGroup' ? request.clientId : actor,
      requestTimeoutMs: 1,
      nodes: onlyNode,
    })
    let answer: Response | null = null
    let failure: unknown = null
    wire.ask(nodeFor(request), api, question, { maxVersion: version }).then(
      (got) => {
        assert.ok(got !== null)
        assert.equal(got.version, version)
        answer = understand(got.body)
      },
      (error) => {
        failure = error
      },
    )
    await this.#deliver()
    if (failure !== null) throw failure
    return {
      get answered() {
        return answer !== null
      },
      answer: async () => {
        if (failure !== null) throw failure
        if (answer === null) throw new Error('no answer')
        return answer
      },
    }
  }

  async advance(ms: number): Promise<void> {
    await this.#cluster.advance(ms)
    await this.#deliver()
  }

  async control(control: Control): Promise<void> {
    await this.#cluster.control(control)
    await this.#deliver()
  }

  otherNode(node: number): number {
    return this.#cluster.otherNode(node)
  }

  async close(): Promise<void> {}

  async #call<K extends RequestKind>(actor: string, request: RequestOf<K>): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>()
    this.#inFlight.push({ exchange: await this.#cluster.send(actor, request), resolve })
    return promise
  }

  async #deliver(): Promise<void> {
    await setImmediate()
    const answered = this.#inFlight.filter(({ exchange }) => exchange.answered)
    this.#inFlight = this.#inFlight.filter(({ exchange }) => !exchange.answered)
    for (const { exchange, resolve } of answered) resolve(await exchange.answer())
    await setImmediate()
  }
}

function nodeFor(request: SimRequest): number {
  if ('node' in request) return request.node
  return request.kind === 'FindCoordinator' || request.kind === 'Metadata' ? anyNode : onlyNode
}

/** Both at once. */
class TwoTargets implements ScriptTarget {
  readonly #direct = new SimTarget()
  readonly #wired = new WiredTarget()

  async open(script: Script): Promise<void> {
    await this.#direct.open(script)
    await this.#wired.open(script)
  }

  async send(actor: string, request: SimRequest): Promise<Exchange> {
    const direct = await this.#direct.send(actor, request)
    const wired = await this.#wired.send(actor, request)
    return {
      get answered() {
        assert.equal(wired.answered, direct.answered)
        return wired.answered
      },
      answer: async () => {
        const answer = await wired.answer()
        assert.deepEqual(comparable(answer), comparable(await direct.answer()))
        return answer
      },
    }
  }

  async advance(ms: number): Promise<void> {
    await this.#direct.advance(ms)
    await this.#wired.advance(ms)
  }

  async control(control: Control): Promise<void> {
    await this.#direct.control(control)
    await this.#wired.control(control)
  }

  otherNode(node: number): number {
    return this.#direct.otherNode(node)
  }

  close(): Promise<void> {
    return this.#wired.close()
  }
}

/**
 * What scripts leave to the sender, or only Kafka's answers have: times and sizes. (A batch that fits the wire's answer is
 * one that fitted the direct one, so sizes are compared by what is read.)
 */
const incomparable: ReadonlySet<string> = new Set(['timestamp', 'size', 'headers', 'logStartOffset of Produce'])

function comparable(value: unknown, kind = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => comparable(each, kind))
  if (typeof value !== 'object' || value === null) return value
  const inside = 'kind' in value && kind === '' ? String(value.kind) : kind
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !incomparable.has(key) && !incomparable.has(`${key} of ${inside}`))
      .map(([key, field]) => [key, comparable(field, inside)]),
  )
}

for (const [subject, list] of Object.entries(scripts)) {
  describe(`the simulator's wire: ${subject}`, () => {
    for (const script of list) {
      it(script.title, async () => {
        await runScript(script, new TwoTargets())
      })
    }
  })
}
