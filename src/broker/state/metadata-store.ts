/**
 * What the broker knows about itself, durable: topics with their configuration, the cluster's id, how often it was started,
 * which producer ids are given away. One JSON document per key in a compacted log that clients do not see.
 */
import { FanlaneError } from '../../errors.ts'
import type { ConfigValues, DynamicConfigs } from '../configs/broker-configs.ts'
import type { StateLog } from './state-log.ts'

export interface TopicDocument {
  readonly id: string
  /** For every partition the number of the start in which it was created: its leader epoch is counted from there. */
  readonly bornAt: readonly number[]
  readonly configs: Readonly<Record<string, string>>
}

export interface ClusterDocument {
  readonly id: string
  readonly starts: number
}

/** Who a quota is for, by type (`user`, `client-id`, `ip`; null: the default of that type), and its values. */
export interface ClientQuotaDocument {
  readonly entity: Readonly<Record<string, string | null>>
  readonly values: Readonly<Record<string, number>>
}

/** Derived keys in base64, never a password. */
export interface ScramDocument {
  readonly user: string
  readonly mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly iterations: number
  readonly salt: string
  readonly storedKey: string
  readonly serverKey: string
}

/** Every kind of key with its document. */
export interface Documents {
  readonly topic: TopicDocument
  readonly cluster: ClusterDocument
  readonly 'broker-configs': DynamicConfigs
  readonly 'producer-ids': { readonly next: number }
  readonly 'group-configs': ConfigValues
  readonly 'client-metrics': ConfigValues
  readonly 'client-quotas': ClientQuotaDocument
  readonly scram: ScramDocument
}

export type DocumentKind = keyof Documents

export class MetadataStore {
  readonly #log: StateLog
  readonly #documents = new Map<string, unknown>()

  private constructor(log: StateLog) {
    this.#log = log
  }

  static async open(log: StateLog): Promise<MetadataStore> {
    const store = new MetadataStore(log)
    await log.replay({
      record: (key, value) => store.#take(key.toString('utf8'), value),
      pending: () => undefined,
      complete: () => undefined,
    })
    return store
  }

  /** Where the log of these documents ends. */
  get endOffset(): number {
    return this.#log.endOffset
  }

  get<K extends DocumentKind>(kind: K, name = ''): Documents[K] | undefined {
    return this.#documents.get(keyOf(kind, name)) as Documents[K] | undefined
  }

  *all<K extends DocumentKind>(kind: K): Generator<readonly [name: string, document: Documents[K]]> {
    const prefix = keyOf(kind, '')
    for (const [key, document] of this.#documents) {
      if (key.startsWith(prefix)) yield [key.slice(prefix.length), document as Documents[K]]
    }
  }

  /** Counts at once; resolves when it is durable. `undefined` removes the document. */
  async put<K extends DocumentKind>(kind: K, name: string, document: Documents[K] | undefined): Promise<void> {
    const key = keyOf(kind, name)
    if (document === undefined) this.#documents.delete(key)
    else this.#documents.set(key, document)
    const value = document === undefined ? null : Buffer.from(JSON.stringify(document))
    await this.#log.append([{ key: Buffer.from(key), value }])
  }

  #take(key: string, value: Buffer | null): void {
    if (value === null) {
      this.#documents.delete(key)
      return
    }
    try {
      this.#documents.set(key, JSON.parse(value.toString('utf8')))
    } catch (cause) {
      throw new FanlaneError(
        'BROKER_METADATA_INVALID',
        `The broker's metadata for '${key}' is not JSON. Restore the data directory from a backup.`,
        { cause },
      )
    }
  }
}

function keyOf(kind: DocumentKind, name: string): string {
  return `${kind}/${name}`
}
