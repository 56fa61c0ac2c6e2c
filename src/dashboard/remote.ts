/** Consumers of another process, asked over HTTP at its dashboard. One that is silent is shown as it was last seen, for a minute. */
import { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Action, ConfigAnswer, InstanceFrame, Refusal } from './frames.ts'
import { type Answer, type Instance, NO_ANSWER, NO_PROCESS, type Question } from './instance.ts'

const ANSWER_MS = 2_000
/** By then its group has given its partitions to others, who count them: what it last said would count twice. */
const FORGOTTEN_AFTER_MS = 60_000
const ANSWER_MAX_BYTES = 32 * 2 ** 20

/** Whoever is asked with this asks nobody else: two that know each other would go on for ever. */
export const PEER_HEADER = 'x-fanlane-peer'

export interface RemoteParts {
  readonly url: string
  readonly token: string | null
  readonly group: string
  readonly clock: Clock
}

export class RemoteInstance implements Instance {
  readonly #parts: RemoteParts
  #last: readonly Answer[] = []
  #silentSinceMs: number | null = null

  constructor(parts: RemoteParts) {
    this.#parts = parts
  }

  get group(): string {
    return this.#parts.group
  }

  async look(question: Question): Promise<readonly Answer[]> {
    const query = new URLSearchParams({ ...stringsOf(question), group: this.group })
    try {
      const response = await this.#ask(`/api/peer?${query}`)
      this.#last = (await json(response)) as readonly Answer[]
      this.#silentSinceMs = null
      return this.#last
    } catch (error) {
      const problem = `${this.#parts.url} does not answer: ${reasonOf(error)}`
      const nowMs = this.#parts.clock.now()
      this.#silentSinceMs ??= nowMs
      if (this.#last.length === 0) return [silent({ id: this.#parts.url, name: this.#parts.url, at: 0 }, problem)]
      if (nowMs - this.#silentSinceMs >= FORGOTTEN_AFTER_MS)
        return this.#last.map(({ instance }) => silent(instance, problem))
      return this.#last.map((answer) => ({ ...answer, instance: { ...answer.instance, state: 'silent', problem } }))
    }
  }

  async act(action: Action): Promise<boolean> {
    const response = await this.#ask('/api/actions', JSON.stringify({ group: this.group, ...action }))
    const answer = (await json(response)) as { readonly done: boolean }
    return answer.done
  }

  async config(): Promise<ConfigAnswer | null> {
    const response = await this.#ask(`/api/config?${new URLSearchParams({ group: this.group })}`)
    return (await json(response)) as ConfigAnswer
  }

  async #ask(path: string, body?: string): Promise<Response> {
    const { url, token } = this.#parts
    const response = await fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        [PEER_HEADER]: '1',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    if (response.ok) return response
    const { error } = (await json(response)) as Partial<Refusal>
    throw new FanlaneError(
      error?.code ?? 'PEER_REFUSED',
      error?.message ?? `It answered ${response.status}: check its address in dashboard.peers.`,
    )
  }
}

async function json(response: Response): Promise<unknown> {
  const length = Number(response.headers.get('content-length') ?? 0)
  if (length > ANSWER_MAX_BYTES)
    throw new FanlaneError(
      'PEER_REFUSED',
      `An answer of ${length} bytes is none of a dashboard: check its address in dashboard.peers.`,
    )
  return response.json()
}

function stringsOf({ page, from, count, sort, find, cells }: Question): Record<string, string> {
  return { page, from: String(from), count: String(count), sort, find, cells: String(cells) }
}

function reasonOf(error: unknown): string {
  const cause = (error as { readonly cause?: { readonly code?: string; readonly message?: string } }).cause
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error))
}

/** Who it is, and nothing else. */
function silent({ id, name, at }: Pick<InstanceFrame, 'id' | 'name' | 'at'>, problem: string): Answer {
  return { ...NO_ANSWER, instance: { ...NO_PROCESS, id, name, at, state: 'silent', problem } }
}
