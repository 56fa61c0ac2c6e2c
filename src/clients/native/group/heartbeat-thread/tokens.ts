/**
 * OAUTHBEARER tokens for the thread. The function that gives them lives on the main side, which may be standing still at the
 * very moment when a broker wants a login: then the last token has to do, if there is one.
 */
import type { OAuthToken } from '../../../../cluster/net/options.ts'
import type { FanlaneError } from '../../../../errors.ts'
import type { Clock } from '../../../../ports/clock.ts'

/** How long the main side may take before the last token is used instead. */
const patienceMs = 2_000

export class Tokens {
  readonly #clock: Clock
  readonly #ask: () => void
  #last: OAuthToken | null = null
  #waiting: PromiseWithResolvers<OAuthToken> | null = null
  #isOld = false

  /** `ask`: tells the main side that one is wanted. */
  constructor(clock: Clock, ask: () => void) {
    this.#clock = clock
    this.#ask = ask
  }

  /** The last login used a token of before: if it was refused, that says nothing about the next one. */
  get isOld(): boolean {
    return this.#isOld
  }

  async next(): Promise<OAuthToken> {
    if (this.#waiting === null) {
      this.#waiting = Promise.withResolvers()
      // Whoever asked may have been content with an old one.
      this.#waiting.promise.catch(() => undefined)
      this.#ask()
    }
    this.#isOld = false
    const last = this.#last
    return last === null ? this.#waiting.promise : this.#orLast(this.#waiting.promise, last)
  }

  given(token: OAuthToken): void {
    this.#last = token
    this.#waiting?.resolve(token)
    this.#waiting = null
  }

  failed(error: FanlaneError): void {
    this.#waiting?.reject(error)
    this.#waiting = null
  }

  #orLast(coming: Promise<OAuthToken>, last: OAuthToken): Promise<OAuthToken> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.at(this.#clock.now() + patienceMs, () => {
        this.#isOld = true
        resolve(last)
      })
      coming.then(resolve, reject).finally(cancel)
    })
  }
}
