/** Which broker coordinates our group, or our transactions. It moves; the first to notice says so. */
import { errorCodes } from '../protocol/errors.ts'
import { findCoordinatorApi } from '../protocol/generated/10-find-coordinator.ts'
import { answeredWith, hasCoordinatorMoved } from './answers.ts'
import { anyNode, type NodeAddress, type Wire } from './wire.ts'

const keyTypes = { group: 0, transaction: 1 } as const

const refusals: ReadonlySet<number> = new Set([
  errorCodes.GROUP_AUTHORIZATION_FAILED,
  errorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
  errorCodes.INVALID_GROUP_ID,
])

export class Coordinator {
  readonly #wire: Wire
  readonly #kind: keyof typeof keyTypes
  readonly #key: string
  #node: NodeAddress | null = null
  #search: Promise<NodeAddress | null> | null = null

  constructor(wire: Wire, kind: keyof typeof keyTypes, key: string) {
    this.#wire = wire
    this.#kind = kind
    this.#key = key
  }

  /** null: not found now. Pause and try again. Rejects if we are not allowed to know. */
  async find(): Promise<number | null> {
    return (await this.address())?.nodeId ?? null
  }

  async address(): Promise<NodeAddress | null> {
    if (this.#node !== null) return this.#node
    this.#search ??= this.#look().finally(() => {
      this.#search = null
    })
    return this.#search
  }

  /** What an answer of `node` (null: silence) says about where the coordinator is. */
  learn(node: number, code: number | null): void {
    if ((code === null || hasCoordinatorMoved(code)) && this.#node?.nodeId === node) this.#node = null
  }

  async #look(): Promise<NodeAddress | null> {
    const keyType = keyTypes[this.#kind]
    const answer = await this.#wire.ask(anyNode, findCoordinatorApi, (version) =>
      version < batchedFrom ? { key: this.#key, keyType } : { coordinatorKeys: [this.#key], keyType },
    )
    if (answer === null) return null
    const { body, version } = answer
    const found = version < batchedFrom ? body : body.coordinators[0]
    if (found === undefined) return null
    const { errorCode, errorMessage } = found
    if (refusals.has(errorCode)) throw answeredWith(errorCode, `FindCoordinator for '${this.#key}'`, errorMessage)
    if (errorCode !== errorCodes.NONE) return null
    const { nodeId, host, port } = found
    const address = { nodeId, host, port }
    this.#wire.learnNodes([address], false)
    this.#node = address
    return address
  }
}

/** From this version on several can be asked for at once. */
const batchedFrom = 4
